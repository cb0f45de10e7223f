// Triggers in the console: a webhook that requires signatures, from the secret to the first signed delivery, on one
// page.
import { describe, expect, it } from 'vitest'
import { strings as triggersStrings } from '../../packages/web/src/triggers/strings.ts'
import { uiStrings } from '../../packages/web/src/ui/strings.ts'
import type { ConsoleWorld } from '../support/console.ts'
import { pick } from '../support/pick.ts'

type Row = { id: string }

export const triggerStories = (world: () => ConsoleWorld) =>
  describe('triggers', () => {
    it('creates a signed webhook with its own secret, and sends it a signed test', () =>
      world().visit('/triggers/new', async (page) => {
        await page.getByLabel(triggersStrings.sender.source, { exact: true }).selectOption({ label: 'GitHub' })
        await page.getByRole('button', { name: triggersStrings.sender.createSecret, exact: true }).click()
        await page.getByRole('button', { name: triggersStrings.sender.generate, exact: true }).click()
        expect(await world().violations(page)).toEqual([])
        await page.getByRole('button', { name: triggersStrings.sender.saveSecret, exact: true }).click()
        const made = await page
          .getByRole('region', { name: triggersStrings.sender.newSecret, exact: true })
          .textContent()
        expect(made).toMatch(/^[0-9a-f]{64}$/)
        await page.getByLabel('Name', { exact: true }).fill('pushes')
        await page.getByRole('combobox', { name: triggersStrings.create.target, exact: true }).fill('no such thing')
        await page.getByText(uiStrings.noResults).waitFor()
        await pick(page, triggersStrings.create.target, 'Word count')
        expect(await world().violations(page)).toEqual([])
        await page.getByRole('button', { name: triggersStrings.create.title, exact: true }).click()
        await page.getByText('in the header X-Hub-Signature-256').waitFor()
        await page.getByRole('button', { name: triggersStrings.webhook.reveal, exact: true }).click()
        expect(
          await page.getByRole('region', { name: triggersStrings.webhook.secret, exact: true }).textContent(),
        ).toBe(made)
        await page.getByRole('button', { name: triggersStrings.webhook.sendSigned, exact: true }).click()
        expect(
          await page.getByRole('region', { name: triggersStrings.webhook.response, exact: true }).textContent(),
        ).toMatch(/^200 /)
        await page.getByRole('row').getByRole('link', { name: /^run / }).waitFor()
        await page.getByRole('button', { name: 'Failed', exact: true }).click()
        await page.getByText(triggersStrings.events.noMatch).waitFor()
        const url = await page.getByRole('region', { name: triggersStrings.webhook.url, exact: true }).textContent()
        expect((await fetch(url ?? '', { method: 'POST', body: '{}' })).status).toBe(401)
        await page.getByText(/^The last refused delivery arrived .*: The signature could not be verified/).waitFor()
        expect(await world().violations(page)).toEqual([])
        await page.getByRole('link', { name: 'Triggers', exact: true }).first().click()
        await page.getByLabel('Search triggers', { exact: true }).fill('pushe')
        await page.waitForURL(/q=pushe/)
        await page.getByRole('button', { name: 'Webhook', exact: true }).click()
        await page.getByRole('cell', { name: 'pushes', exact: true }).waitFor()
        await page.getByRole('button', { name: uiStrings.disabled, exact: true }).click()
        await page.getByText(triggersStrings.list.noMatch).waitFor()
        expect(await world().violations(page)).toEqual([])
        await page.getByRole('link', { name: triggersStrings.events.showAll, exact: true }).click()
        await page.getByRole('cell', { name: 'pushes', exact: true }).waitFor()
      }))

    it('shows flows and triggers that are created by another client, and trigger events as they arrive, including rejected ones', async () => {
      const { id: flowId } = (await world().call('POST', '/flows', { name: 'elsewhere' })) as Row
      const rule = { field: 'sack', operator: 'exists' }
      const body = { name: 'knocking', type: 'webhook', action: 'run_flow', flow_id: flowId, filters: [rule] }
      await world().visit('/triggers', async (page) => {
        await page.getByRole('heading', { name: 'Triggers', exact: true }).waitFor()
        const trigger = (await world().call('POST', '/triggers', body)) as Row & { webhook_url: string }
        await page.getByRole('cell', { name: 'knocking', exact: true }).click()
        await page.getByText(triggersStrings.events.empty).waitFor()
        const knock = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' }
        expect((await fetch(trigger.webhook_url, knock)).status).toBe(200)
        await page.getByRole('row').getByText('filtered', { exact: true }).waitFor()
        await page.goto(new URL('/console/flows', world().server.url).href)
        await page.getByRole('cell', { name: 'elsewhere', exact: true }).waitFor()
        await world().call('PATCH', `/flows/${flowId}`, { title: 'From elsewhere' })
        await page.getByRole('cell', { name: 'From elsewhere', exact: true }).waitFor()
        await world().call('DELETE', `/flows/${flowId}`)
        await page.getByRole('cell', { name: 'From elsewhere', exact: true }).waitFor({ state: 'detached' })
      })
    })
  })
