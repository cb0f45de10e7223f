// Triggers by hand: a webhook that only takes what is signed, from the secret to the first signed delivery, without leaving for
// another page.
import { describe, expect, it } from 'vitest'
import type { ConsoleWorld } from '../support/console.ts'
import { pick } from '../support/pick.ts'

type Row = { id: string }

export const triggerStories = (world: () => ConsoleWorld) =>
  describe('triggers', () => {
    it('makes a signed webhook with a secret of its own, and sends it a signed test', () =>
      world().visit('/triggers/new', async (page) => {
        await page.getByLabel('Who sends', { exact: true }).selectOption({ label: 'GitHub' })
        await page.getByRole('button', { name: 'Make a new secret', exact: true }).click()
        await page.getByRole('button', { name: 'Make one up', exact: true }).click()
        expect(await world().violations(page)).toEqual([])
        await page.getByRole('button', { name: 'Keep it', exact: true }).click()
        const made = await page.getByRole('region', { name: 'The new secret', exact: true }).textContent()
        expect(made).toMatch(/^[0-9a-f]{64}$/)
        await page.getByLabel('Name', { exact: true }).fill('pushes')
        await page.getByRole('combobox', { name: 'Starts a run of', exact: true }).fill('no such thing')
        await page.getByText('Nothing has such a name.').waitFor()
        await pick(page, 'Starts a run of', 'Word count')
        expect(await world().violations(page)).toEqual([])
        await page.getByRole('button', { name: 'Create the trigger', exact: true }).click()
        await page.getByText('in the header X-Hub-Signature-256').waitFor()
        await page.getByRole('button', { name: 'Reveal, which the audit log records', exact: true }).click()
        expect(await page.getByRole('region', { name: 'The secret', exact: true }).textContent()).toBe(made)
        await page.getByRole('button', { name: 'Sign it and send it', exact: true }).click()
        expect(await page.getByRole('region', { name: 'Answer', exact: true }).textContent()).toMatch(/^200 /)
        await page.getByRole('row').getByRole('link', { name: /^run / }).waitFor()
        await page.getByRole('button', { name: 'Failed', exact: true }).click()
        await page.getByText('No fire ended like that').waitFor()
        expect(await world().violations(page)).toEqual([])
        await page.getByRole('link', { name: 'Triggers', exact: true }).first().click()
        await page.getByLabel('Search triggers', { exact: true }).fill('pushe')
        await page.waitForURL(/q=pushe/)
        await page.getByRole('button', { name: 'Webhook', exact: true }).click()
        await page.getByRole('cell', { name: 'pushes', exact: true }).waitFor()
        await page.getByRole('button', { name: 'Off', exact: true }).click()
        await page.getByText('No trigger matches').waitFor()
        expect(await world().violations(page)).toEqual([])
        await page.getByRole('link', { name: 'Show all', exact: true }).click()
        await page.getByRole('cell', { name: 'pushes', exact: true }).waitFor()
      }))

    it('shows flows and triggers as they are made elsewhere, and fires as they come, also those turned away', async () => {
      const { id: flowId } = (await world().call('POST', '/flows', { name: 'elsewhere' })) as Row
      const rule = { field: 'sack', operator: 'exists' }
      const body = { name: 'knocking', type: 'webhook', action: 'run_flow', flow_id: flowId, filters: [rule] }
      await world().visit('/triggers', async (page) => {
        await page.getByRole('heading', { name: 'Triggers', exact: true }).waitFor()
        const trigger = (await world().call('POST', '/triggers', body)) as Row & { webhook_url: string }
        await page.getByRole('cell', { name: 'knocking', exact: true }).click()
        await page.getByText('It has not fired yet').waitFor()
        const knock = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' }
        expect((await fetch(trigger.webhook_url, knock)).status).toBe(200)
        await page.getByRole('row').getByText('turned away', { exact: true }).waitFor()
        await page.goto(new URL('/console/flows', world().server.url).href)
        await page.getByRole('cell', { name: 'elsewhere', exact: true }).waitFor()
        await world().call('PATCH', `/flows/${flowId}`, { title: 'From elsewhere' })
        await page.getByRole('cell', { name: 'From elsewhere', exact: true }).waitFor()
        await world().call('DELETE', `/flows/${flowId}`)
        await page.getByRole('cell', { name: 'From elsewhere', exact: true }).waitFor({ state: 'detached' })
      })
    })
  })
