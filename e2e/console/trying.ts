// Trying things before they take effect: filter rules on a recorded delivery, an expression while typing, verification
// of the audit log. The delivery is that of the webhook `from elsewhere`.
import { describe, expect, it } from 'vitest'
import { strings as triggersStrings } from '../../packages/web/src/triggers/strings.ts'
import { uiStrings } from '../../packages/web/src/ui/strings.ts'
import type { ConsoleWorld } from '../support/console.ts'
import { givenManyRuns } from '../support/many-runs.ts'
import { pick } from '../support/pick.ts'

export const tryingStories = (world: () => ConsoleWorld) =>
  describe('trying', () => {
    it('tries rules on a recorded delivery, and saves them', () =>
      world().visit('/triggers', async (page) => {
        await page.getByRole('button', { name: 'Name', exact: true }).click()
        await page.locator('[role=columnheader][aria-sort=descending]', { hasText: 'Name' }).waitFor()
        await page.getByRole('cell', { name: 'from elsewhere', exact: true }).click()
        await page.getByRole('button', { name: uiStrings.edit, exact: true }).click()
        await page.getByRole('dialog').getByLabel('Name', { exact: true }).fill('from far away')
        await page.getByRole('dialog').getByRole('button', { name: 'Save', exact: true }).click()
        await page.getByRole('heading', { name: 'from far away', exact: true }).waitFor()
        await page.getByRole('button', { name: triggersStrings.filters.add, exact: true }).click()
        await page.getByLabel('Field', { exact: true }).fill('text')
        await page
          .getByLabel(triggersStrings.filters.operator, { exact: true })
          .selectOption({ label: triggersStrings.filters.operators.prefix })
        await page.getByLabel('Value', { exact: true }).fill('brought')
        await page.getByRole('button', { name: triggersStrings.filters.test, exact: true }).click()
        await page.getByText(triggersStrings.filters.rejected).waitFor()
        await page.getByLabel('Value', { exact: true }).fill('sent')
        await page.getByRole('button', { name: triggersStrings.filters.test, exact: true }).click()
        await page.getByText(triggersStrings.filters.passes).waitFor()
        await page.getByText('"sent from elsewhere"').waitFor()
        expect(await world().violations(page)).toEqual([])
        await page.getByRole('button', { name: triggersStrings.filters.save, exact: true }).click()
        await expect
          .poll(() => page.getByRole('button', { name: triggersStrings.filters.save, exact: true }).count())
          .toBe(0)
        await page.reload()
        await expect.poll(() => page.getByLabel('Value', { exact: true }).inputValue()).toBe('sent')
      }))

    it('maps the payload to the input of a run, and shows the result', () =>
      world().visit('/triggers/new', async (page) => {
        await page.getByLabel('Name', { exact: true }).fill('sacks')
        await pick(page, triggersStrings.create.target, 'Word count')
        await page.getByRole('button', { name: 'Add a field', exact: true }).click()
        await page.getByLabel(triggersStrings.mapping.field, { exact: true }).fill('text')
        await page
          .getByLabel(triggersStrings.mapping.source, { exact: true })
          .selectOption({ label: triggersStrings.mapping.sources.text })
        await page.getByLabel(uiStrings.value, { exact: true }).fill('a sack of {{grain.name}}')
        await page.getByLabel(triggersStrings.mapping.sampleLabel, { exact: true }).fill('{"grain": {"name": "rye"}}')
        const made = page.getByRole('region', { name: triggersStrings.mapping.preview, exact: true })
        await made.getByText('"a sack of rye"', { exact: true }).waitFor()
        expect(await world().violations(page)).toEqual([])
        await page.getByRole('button', { name: triggersStrings.create.title, exact: true }).click()
        const address = await page.getByRole('region', { name: triggersStrings.webhook.url, exact: true }).textContent()
        const headers = { 'content-type': 'application/json' }
        const body = '{"grain": {"name": "barley"}}'
        expect((await fetch(address ?? '', { method: 'POST', headers, body })).status).toBe(200)
        await page.getByRole('row').getByRole('link', { name: /^run / }).waitFor()
        await page.getByRole('button', { name: uiStrings.edit, exact: true }).click()
        await page.getByRole('dialog').getByText('"a sack of barley"', { exact: true }).waitFor()
        await page.getByRole('button', { name: 'Close', exact: true }).click()
        await page.getByRole('row').getByRole('link', { name: /^run / }).click()
        await page.getByText('Completed').first().waitFor()
        await page.getByText('"a sack of barley"', { exact: true }).first().waitFor()
      }))

    it('shows the value of an expression while typing', async () => {
      const flow = (await world().call('POST', '/flows', { name: 'sums' })) as { id: string }
      await world().call('POST', `/flows/${flow.id}/actions`, {
        actions: [
          { type: 'node.add', payload: { id: 'sum', type: 'utility', position: { x: 0, y: 0 } } },
          { type: 'node.set_input', payload: { node_id: 'sum', input_key: 'a', input: 20 } },
        ],
      })
      await world().visit(`/flows/${flow.id}`, async (page) => {
        await page.locator('.react-flow__node[data-id="sum"]').click()
        const preview = page.getByRole('region', { name: 'Preview', exact: true })
        await page.getByLabel('Expression', { exact: true }).fill('input.a +')
        await preview
          .getByText(/mismatched|expect|error/i)
          .first()
          .waitFor()
        await page.getByLabel('Expression', { exact: true }).fill('input.a * 2 + 2')
        await preview.getByText('42', { exact: true }).waitFor()
        expect(await world().violations(page)).toEqual([])
      })
    })

    it('explains why a run can only wait', async () => {
      const app = (await world().call('POST', '/apps', {
        name: 'large',
        version: {
          repository: 'https://bundles.example.com/large.zip',
          kernel: 'node-22',
          resources: { gpu: { count: 1, type: 'nvidia' } },
        },
      })) as { namespace: string }
      await world().visit(`/apps/${app.namespace}/large`, async (page) => {
        await page.getByRole('button', { name: 'Run', exact: true }).click()
        await page.getByText('The run is queued: no connected engine has a GPU of type nvidia.').waitFor()
        expect(await world().violations(page)).toEqual([])
      })
    })

    it('jumps to the end of a long list without loading the pages between', async () => {
      await givenManyRuns(world(), 600)
      await world().visit('/runs', async (page) => {
        const asked: unknown[] = []
        page.on('request', (request) => {
          if (request.url().endsWith('/tasks/list')) asked.push(request.postDataJSON().page)
        })
        const table = page.getByRole('table', { name: 'Runs', exact: true })
        await table.evaluate((element) => {
          element.scrollTop = element.scrollHeight
        })
        const count = Number(await table.getAttribute('aria-rowcount'))
        await page.locator(`[aria-rowindex="${count + 1}"]:not([aria-busy])`).waitFor()
        expect(asked).toContain(Math.ceil(count / 100))
        expect(asked).not.toContain(2)
        // A new filter yields a new list, from start to end.
        const filters = [{ field: 'status', operator: 'in', value: [11] }]
        const failed = (await world().call('POST', '/tasks/list', { limit: 1, filters })) as { total_items: number }
        await page.getByRole('button', { name: 'failed', exact: true }).click()
        await expect.poll(() => table.getAttribute('aria-rowcount')).toBe(String(failed.total_items))
        await page.locator('[aria-rowindex="2"]:not([aria-busy])').waitFor()
        await table.evaluate((element) => {
          element.scrollTop = element.scrollHeight
        })
        const last = page.locator(`[aria-rowindex="${failed.total_items + 1}"]:not([aria-busy])`)
        await last.waitFor()
        expect(await last.textContent()).toContain('failed')
      })
    })

    it('counts every run of the day on the home page, live', async () => {
      type Counts = { buckets: Readonly<Record<'completed' | 'failed' | 'cancelled' | 'active', number>>[] }
      const counted = async () => {
        const { buckets } = (await world().call('GET', '/tasks/counts')) as Counts
        return buckets.reduce((sum, each) => sum + each.completed + each.failed + each.cancelled + each.active, 0)
      }
      await world().visit('/', async (page) => {
        const figure = page.getByRole('group', { name: 'Runs, 24 hours', exact: true })
        const isShown = async () => (await figure.textContent())?.includes((await counted()).toLocaleString('en-US'))
        await expect.poll(isShown).toBe(true)
        await page.getByRole('img', { name: 'Runs per half hour by outcome', exact: true }).waitFor()
        await world().call('POST', '/run', { app: 'millrace/echo', wait: true, input: { hello: 'once more' } })
        await expect.poll(isShown).toBe(true)
      })
    })

    it('verifies the audit log', () =>
      world().visit('/settings/audit', async (page) => {
        await page.getByRole('button', { name: 'Verify', exact: true }).click()
        await page.getByText(/^Verified: [\d,]+ entr/).waitFor()
      }))
  })
