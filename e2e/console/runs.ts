// Runs: several are canceled, retried and deleted at once, by keyboard too; a run of a flow shows the steps of the flow
// run, with the turns and tools of its agents.
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { strings } from '../../packages/web/src/runs/strings.ts'
import { type ConsoleWorld, useModel } from '../support/console.ts'
import { startModelServer } from '../support/model-server.ts'

type Row = { id: string }

const words = strings.bulk

/** A run that no engine can execute, so that it waits until it is canceled. */
const givenWaiting = async (world: ConsoleWorld, count: number): Promise<string> => {
  const version = {
    repository: 'https://bundles.example.com/vast.zip',
    kernel: 'node-22',
    resources: { gpu: { count: 8, type: 'nvidia' } },
  }
  const app = (await world.call('POST', '/apps', { name: 'vast', version })) as Row
  for (let index = 0; index < count; index += 1) await world.call('POST', '/run', { app_id: app.id, input: {} })
  return app.id
}

const act = async (page: Page, action: keyof typeof words.actions) => {
  await page.getByRole('button', { name: words.actions[action], exact: true }).click()
  await page.getByRole('dialog').getByRole('button', { name: words.actions[action], exact: true }).click()
}

export const runStories = (world: () => ConsoleWorld) =>
  describe('runs', () => {
    it('cancels, retries and deletes the runs that are selected by keyboard, and says which were refused', async () => {
      const app = await givenWaiting(world(), 3)
      await world().visit(`/runs?app=${app}`, async (page) => {
        const boxes = page.getByRole('checkbox')
        await expect.poll(() => boxes.count()).toBe(3)
        await boxes.first().focus()
        await page.keyboard.press('Space')
        await page.keyboard.press('ArrowDown')
        await page.keyboard.press('Space')
        await page.getByText(words.selected(2), { exact: true }).waitFor()
        expect(await world().violations(page)).toEqual([])
        await act(page, 'cancel')
        await page.getByText(words.done.cancel(2), { exact: true }).waitFor()
        await expect.poll(() => page.getByRole('row').getByText('Cancelled', { exact: false }).count()).toBe(2)
        // The canceled runs and the waiting one.
        await boxes.first().check()
        await page.getByRole('button', { name: words.selectFirst(3), exact: true }).click()
        await act(page, 'cancel')
        await page.getByText(words.done.cancel(1), { exact: true }).waitFor()
        await page.getByText(words.refused(2, words.ended), { exact: true }).waitFor()
        expect(await world().violations(page)).toEqual([])
        await act(page, 'retry')
        await page.getByText(words.done.retry(2), { exact: true }).waitFor()
        await expect.poll(() => boxes.count()).toBe(5)
        await boxes.first().check()
        await page.getByRole('button', { name: words.selectFirst(5), exact: true }).click()
        await act(page, 'delete')
        await page.getByText(words.done.delete(5), { exact: true }).waitFor()
        await page.getByRole('link', { name: strings.showAll, exact: true }).waitFor()
      })
    })

    it('shows the steps of the flow run with the turns of its agents, and leads to app, flow and chat', async () => {
      const model = await startModelServer(() => ({ text: 'Fine flour.' }))
      try {
        await useModel(world(), model.url)
        const version = { system_prompt: 'Be brief.', core_app: { ref: 'millrace/openai-chat' } }
        const agent = (await world().call('POST', '/agents', { name: 'judge', version })) as Row
        const counter = (await world().call('GET', '/apps/millrace/word-count')) as Row
        const flow = (await world().call('POST', '/flows', { name: 'judging' })) as Row
        const add = (id: string, type: string, data: object) => ({
          type: 'node.add',
          payload: { id, type, position: { x: 0, y: 0 }, data },
        })
        const set = (node_id: string, input: string) => ({
          type: 'node.set_input',
          payload: { node_id, input_key: 'text', input },
        })
        await world().call('POST', `/flows/${flow.id}/actions`, {
          actions: [
            add('counter', 'appNode', { app_id: counter.id }),
            set('counter', 'one two'),
            add('judge', 'agentNode', { agent_id: agent.id }),
            set('judge', 'Is it good?'),
          ],
        })
        const { id } = (await world().call('POST', '/flowruns', { flow: flow.id, input: {} })) as Row
        type FlowRun = { status: number; node_tasks: Record<string, { task_id: string; chat_id?: string }> }
        const run = async () => (await world().call('GET', `/flowruns/${id}`)) as FlowRun
        await expect.poll(async () => Object.keys((await run()).node_tasks).sort()).toEqual(['counter', 'judge'])
        const { node_tasks } = await run()
        await world().visit(`/runs/${node_tasks.counter?.task_id}`, async (page) => {
          const steps = page.getByRole('listitem')
          await page.getByRole('heading', { name: strings.tree.title, exact: true }).waitFor()
          await steps.filter({ hasText: 'judging' }).first().waitFor()
          await steps.filter({ hasText: 'turn' }).first().waitFor()
          await page.locator('li[aria-current]', { hasText: 'counter' }).waitFor()
          await world().picture(page, 'run-tree')
          expect(await world().violations(page)).toEqual([])
          await page.getByRole('link', { name: 'Word count', exact: true }).first().waitFor()
          await page.getByRole('link', { name: 'judging', exact: true }).first().waitFor()
          await page.getByRole('link', { name: 'turn', exact: true }).click()
          await page.waitForURL(new RegExp(`/chats/${node_tasks.judge?.chat_id}`))
        })
      } finally {
        await model.close()
      }
    })
  })
