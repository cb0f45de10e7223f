// Flows with others: changes of another member appear live, versions are compared, and agents are nodes like apps.
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { strings as apps } from '../../packages/web/src/apps/strings.ts'
import { strings as chat } from '../../packages/web/src/chats/strings.ts'
import { strings } from '../../packages/web/src/flows/strings.ts'
import { createClient } from '../support/client.ts'
import { type ConsoleWorld, useModel } from '../support/console.ts'
import { startModelServer } from '../support/model-server.ts'
import type { SignedIn } from '../support/operator.ts'

type Row = { id: string }

const utility = (id: string) => ({
  actions: [{ type: 'node.add', payload: { id, type: 'utility', position: { x: 300, y: 0 } } }],
})

const order = {
  components: [
    { id: 'root', component: 'Form', children: ['shop', 'go'] },
    { id: 'shop', component: 'TextField', label: 'Shop', name: 'shop' },
    { id: 'go', component: 'Button', label: 'Order it', action: { name: 'order' } },
  ],
}

const answersAndTraces = (world: ConsoleWorld) => async (page: Page) => {
  await page.getByRole('link', { name: 'shopping', exact: true }).waitFor()
  await page.getByLabel('Shop', { exact: true }).fill('Corner')
  expect(await world.violations(page)).toEqual([])
  const address = await page.getByRole('link', { name: chat.inbox.openChat, exact: true }).getAttribute('href')
  await page.getByRole('button', { name: 'Order it', exact: true }).click()
  await page.getByText(chat.inbox.emptyTitle).waitFor()
  await page.goto(new URL(address ?? '', world.server.url).href)
  await page.getByText('Ordered.').first().waitFor()
  await page.getByRole('button', { name: chat.chat.trace, exact: true }).click()
  const trace = page.getByRole('dialog')
  await trace.getByRole('button', { name: /widget_ui/ }).click()
  await trace.getByText(/"shop":\s*"Corner"/).waitFor()
  expect(await world.violations(page)).toEqual([])
}

export const flowStories = (world: () => ConsoleWorld, colleague: () => Promise<SignedIn>) =>
  describe('flows with several members', () => {
    it('shows a change of another member live, with their name, and compares it with the version before', async () => {
      const { session_token, team_id } = await colleague()
      const { call } = createClient(world().server.url, { token: session_token, teamId: team_id })
      const flow = (await world().call('POST', '/flows', { name: 'sifting' })) as Row
      await world().call('POST', `/flows/${flow.id}/actions`, utility('sieve'))
      await world().call('POST', `/flows/${flow.id}/publish`)
      await world().visit(`/flows/${flow.id}`, async (page) => {
        await page.locator('.react-flow__node[data-id="sieve"]').waitFor()
        const { status } = await call(`POST /flows/${flow.id}/actions`, utility('scale'))
        expect(status).toBe(200)
        await page.getByText(strings.editor.changedBy('grace@mill.example')).waitFor()
        await page.locator('.react-flow__node[data-id="scale"]').waitFor()
        await page.getByRole('button', { name: strings.editor.versions, exact: true }).click()
        const dialog = page.getByRole('dialog')
        await dialog.getByText(/scale: utility/).waitFor()
        await expect
          .poll(() => dialog.getByLabel(strings.versions.from, { exact: true }).locator('option:checked').textContent())
          .toContain(strings.versions.published)
        expect(await world().violations(page)).toEqual([])
      })
    })

    it('ends the drag of a card that another member removes', async () => {
      const flow = (await world().call('POST', '/flows', { name: 'sieves' })) as Row
      await world().call('POST', `/flows/${flow.id}/actions`, utility('sieve'))
      await world().visit(`/flows/${flow.id}`, async (page) => {
        const card = page.locator('.react-flow__node[data-id="sieve"]')
        await card.hover({ position: { x: 40, y: 8 } })
        const box = await card.boundingBox()
        await page.mouse.down()
        await page.mouse.move((box?.x ?? 0) + 44, (box?.y ?? 0) + 12)
        await page.mouse.move((box?.x ?? 0) + 80, (box?.y ?? 0) + 40)
        const sheet = page.locator('.drag-sheet')
        await sheet.waitFor({ state: 'attached' })
        const actions = [{ type: 'node.remove', payload: { id: 'sieve' } }]
        await world().call('POST', `/flows/${flow.id}/actions`, { actions })
        await card.waitFor({ state: 'detached' })
        await sheet.waitFor({ state: 'detached' })
        await page.mouse.up()
      })
    })

    it('renames a flow, undoes a change by keyboard, and deletes the flow', async () => {
      const flow = (await world().call('POST', '/flows', { name: 'nameless' })) as Row
      await world().call('POST', `/flows/${flow.id}/actions`, utility('sieve'))
      await world().visit(`/flows/${flow.id}`, async (page) => {
        const sieve = page.locator('.react-flow__node[data-id="sieve"]')
        await sieve.waitFor()
        await page.keyboard.press('Control+z')
        await sieve.waitFor({ state: 'detached' })
        await page.keyboard.press('Control+Shift+z')
        await sieve.waitFor()
        await page.getByRole('button', { name: strings.editor.settings, exact: true }).click()
        await page.getByRole('textbox', { name: strings.settings.title, exact: true }).fill('Bolting')
        await page.getByRole('dialog').getByRole('textbox', { name: 'Name', exact: true }).fill('bolting')
        expect(await world().violations(page)).toEqual([])
        await page.getByRole('button', { name: 'Save', exact: true }).click()
        await page.getByRole('heading', { name: 'Bolting', exact: true }).waitFor()
        await page.getByRole('button', { name: strings.editor.settings, exact: true }).click()
        await page.getByRole('button', { name: strings.settings.deploy, exact: true }).click()
        await page.waitForURL(/\/apps\/.+\/bolting$/)
        await page.getByRole('tab', { name: 'Code', exact: true }).click()
        await page.getByText(apps.code.emptyTitle).waitFor()
        await page.goBack()
        await page.goBack()
        await page.getByRole('button', { name: strings.editor.settings, exact: true }).click()
        await page.getByRole('button', { name: strings.settings.delete, exact: true }).click()
        await page
          .getByRole('dialog')
          .last()
          .getByRole('button', { name: strings.settings.delete, exact: true })
          .click()
        await page.getByRole('heading', { name: strings.title, exact: true }).waitFor()
        await page.getByRole('cell', { name: 'sifting', exact: true }).waitFor()
        await expect.poll(() => page.getByText('Bolting', { exact: true }).count()).toBe(0)
      })
    })

    it('adds an agent with its inputs and outputs from the menu', async () => {
      const version = {
        system_prompt: 'Be brief.',
        core_app: { ref: 'millrace/openai-chat' },
        output_schema: { type: 'object', properties: { verdict: { type: 'string' } } },
      }
      await world().call('POST', '/agents', { name: 'taster', title: 'Taster', version })
      const flow = (await world().call('POST', '/flows', { name: 'tasting' })) as Row
      await world().visit(`/flows/${flow.id}`, async (page) => {
        await page.getByRole('button', { name: strings.addNode.add, exact: true }).click()
        await page.getByRole('searchbox', { name: strings.addNode.search, exact: true }).fill('taster')
        await expect.poll(() => page.getByRole('menuitem').count()).toBe(1)
        expect(await world().violations(page)).toEqual([])
        await page.getByRole('menuitem', { name: 'Taster', exact: true }).click()
        const node = page.locator('.react-flow__node[data-id="taster"]')
        for (const port of ['text', 'context', 'verdict']) await node.locator(`[data-handleid="${port}"]`).waitFor()
        await node.click()
        await page.getByLabel(strings.node.agentText, { exact: true }).fill('How is the flour?')
        await page.getByLabel(strings.node.agentText, { exact: true }).blur()
        await expect
          .poll(() => page.getByRole('combobox', { name: strings.node.agent, exact: true }).inputValue())
          .toBe('Taster')
        await expect
          .poll(async () => ((await world().call('GET', `/flows/${flow.id}`)) as { input: unknown }).input)
          .toEqual({ taster: { text: 'How is the flour?' } })
      })
    })

    it('sets the value of a gate by its type, and the attempts of a node', async () => {
      const flow = (await world().call('POST', '/flows', { name: 'gated' })) as Row
      const add = (id: string, type: string, x: number) => ({
        type: 'node.add',
        payload: { id, type, position: { x, y: 0 } },
      })
      const actions = [add('latch', 'gate', 0), add('pick', 'selector', 300), add('miller', 'agentNode', 600)]
      await world().call('POST', `/flows/${flow.id}/actions`, { actions })
      type StoredFlow = { node_data: Readonly<Record<string, unknown>> }
      const held = async (id: string) => ((await world().call('GET', `/flows/${flow.id}`)) as StoredFlow).node_data[id]
      await world().visit(`/flows/${flow.id}`, async (page) => {
        const choose = (id: string) => page.locator(`.react-flow__node[data-id="${id}"]`).click()
        const field = (label: string) => page.getByLabel(label, { exact: true })
        const save = () => page.getByRole('button', { name: 'Save', exact: true }).click()
        await choose('latch')
        await field(strings.choice.field).fill('sacks')
        await field(strings.choice.valueType).selectOption('number')
        await field(strings.choice.value).fill('3')
        await save()
        const gate = { field: 'sacks', operator: 'equals', value: 3 }
        await expect.poll(() => held('latch')).toMatchObject({ utility: { gate } })
        await choose('pick')
        await field(strings.choice.mode).selectOption('index')
        await field(strings.choice.index).fill('-2')
        await save()
        await expect.poll(() => held('pick')).toMatchObject({ utility: { selector: { mode: 'index', index: -2 } } })
        await choose('miller')
        const type = async (label: string, value: string) => {
          await field(label).fill(value)
          await field(label).blur()
        }
        await type(strings.attempts.timeout, '5000')
        await expect.poll(() => held('miller')).toMatchObject({ timeout_ms: 5000 })
        await type(strings.attempts.max, '3')
        await type(strings.attempts.backoff, '200')
        await expect
          .poll(() => held('miller'))
          .toMatchObject({ timeout_ms: 5000, retry: { attempts: 3, backoff_ms: 200 } })
        expect(await world().violations(page)).toEqual([])
      })
    })

    it('connects, computes and disconnects inputs without a mouse', async () => {
      const flow = (await world().call('POST', '/flows', { name: 'by-keys' })) as Row
      const schema = { type: 'object', properties: { text: { type: 'string' } } }
      const add = (id: string, type: string, x: number) => ({
        type: 'node.add',
        payload: { id, type, position: { x, y: 0 } },
      })
      const actions = [
        add('input', 'inputNode', 0),
        add('bin', 'merge', 600),
        { type: 'flow.set_input_schema', payload: { schema } },
      ]
      await world().call('POST', `/flows/${flow.id}/actions`, { actions })
      type StoredFlow = { input: unknown; node_data: Readonly<Record<string, { utility?: unknown }>> }
      const held = async () => (await world().call('GET', `/flows/${flow.id}`)) as StoredFlow
      const from = (nodeId: string, key = '') => ({ connection: { nodeId, key } })
      await world().visit(`/flows/${flow.id}`, async (page) => {
        const press = (name: string) => page.getByRole('button', { name, exact: true }).press('Enter')
        const take = (name: string) => page.getByRole('menuitem', { name, exact: true }).press('Enter')
        await page.locator('.react-flow__node[data-id="bin"]').press('Enter')
        await press(strings.inputs.connect(strings.inputs.anotherField))
        await take('input.text')
        await expect.poll(async () => (await held()).input).toEqual({ bin: { text: from('input', 'text') } })
        await press(strings.inputs.connect('text'))
        await take(strings.inputs.addExpression)
        const field = page.getByRole('group', { name: 'text', exact: true })
        await field.getByLabel(strings.preview.input, { exact: true }).fill('{"text": "rye"}')
        await field.getByLabel(strings.inputs.expressionOf('text'), { exact: true }).fill('input.text + "!"')
        await field.getByText('"rye!"', { exact: true }).waitFor()
        expect(await world().violations(page)).toEqual([])
        await page.getByRole('textbox', { name: strings.node.name, exact: true }).focus()
        await expect
          .poll(async () => (await held()).node_data.bin_text?.utility)
          .toEqual({ expression: 'input.text + "!"' })
        expect((await held()).input).toEqual({
          bin: { text: from('bin_text') },
          bin_text: { text: from('input', 'text') },
        })
        const line = page.getByLabel(strings.editor.connection('bin_text', 'bin.text'), { exact: true })
        await line.press('Enter')
        await page.locator('.react-flow__edge.selected').waitFor()
        await line.press('Delete')
        await expect.poll(async () => (await held()).input).toEqual({ bin_text: { text: from('input', 'text') } })
      })
    })

    it('names the flow of an approval, takes the response in the inbox, and shows each step of the trace', async () => {
      const model = await startModelServer((role) =>
        role === 'tool' ? { text: 'Ordered.' } : { call: { name: 'widget_ui', arguments: order } },
      )
      try {
        await useModel(world(), model.url)
        const version = { system_prompt: 'Be brief.', core_app: { ref: 'millrace/openai-chat' } }
        const agent = (await world().call('POST', '/agents', { name: 'grocer', version })) as Row
        const flow = (await world().call('POST', '/flows', { name: 'shopping' })) as Row
        const node = { id: 'buyer', type: 'agentNode', position: { x: 0, y: 0 }, data: { agent_id: agent.id } }
        const input = { node_id: 'buyer', input_key: 'text', input: 'Buy flour' }
        const actions = [
          { type: 'node.add', payload: node },
          { type: 'node.set_input', payload: input },
        ]
        await world().call('POST', `/flows/${flow.id}/actions`, { actions })
        const run = (await world().call('POST', '/flowruns', { flow: flow.id, input: {} })) as Row
        await world().visit(`/flows/${flow.id}?run=${run.id}`, (page) =>
          page
            .locator('.react-flow__node[data-id="buyer"]')
            .getByText(strings.editor.needsApproval)
            .waitFor({ state: 'attached' }),
        )
        await world().visit('/inbox', answersAndTraces(world()))
      } finally {
        await model.close()
      }
    })
  })
