// A person creates an agent, chats with it, approves a tool call, submits a form, steers and stops it.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { strings as agent } from '../../packages/web/src/agents/strings.ts'
import { strings as chat } from '../../packages/web/src/chats/strings.ts'
import type { ConsoleWorld } from '../support/console.ts'
import { givenAgent } from '../support/given-agent.ts'
import { type ModelServer, type ModelTurn, startModelServer } from '../support/model-server.ts'
import { chatStories, exhibit } from './chats.ts'

const form = {
  components: [
    { id: 'root', component: 'Form', children: ['bakery', 'today', 'go'] },
    { id: 'bakery', component: 'TextField', label: 'Bakery', name: 'bakery' },
    { id: 'today', component: 'CheckBox', label: 'Today', name: 'today' },
    { id: 'go', component: 'Button', label: 'Order it', action: { name: 'order' } },
  ],
}

const tasksAndCode = [
  '- [x] dress the stones',
  '- [ ] grind the rye',
  '',
  '```js',
  `const sacks = [${'1, '.repeat(120)}]`,
  '```',
  '',
  `| ${'sacks | '.repeat(40)}`,
  `| ${'--- | '.repeat(40)}`,
  `| ${'7 | '.repeat(40)}`,
].join('\n')

const speak = (role: string, text: string): ModelTurn => {
  if (role === 'tool') return { text: `The tool said ${text}` }
  if (text.includes('count'))
    return { reasoning: 'There is a tool for that.', call: { name: 'count', arguments: { text } } }
  if (text.includes('show artifact')) return exhibit(text)
  if (text.includes('order')) return { call: { name: 'widget_ui', arguments: form } }
  if (text.includes('list tasks')) return { text: tasksAndCode }
  if (text.includes('break')) return { refusal: 'the mill is broken' }
  if (text.includes('slowly')) return { text: 'grain '.repeat(600), slowMs: 50 }
  return { reasoning: 'A greeting.', text: `You said **${text}**` }
}

export const agentStories = (world: () => ConsoleWorld) =>
  describe('agents and chats', () => {
    let model: ModelServer
    beforeAll(async () => {
      model = await startModelServer(speak)
      await world().call('POST', '/secrets', { key: 'OPENAI_BASE_URL', value: model.url })
    })
    afterAll(() => model?.close())

    it('creates an agent with a tool that requires approval, and tests it next to its settings', async () => {
      const body = { name: 'dressing', description: 'How stones are dressed', instructions: '# Dressing' }
      const skill = (await world().call('POST', '/skills', body)) as { id: string; namespace: string }
      await world().visit('/agents', async (page) => {
        await givenAgent(page, 'Be brief.')
        expect(await world().violations(page)).toEqual([])
        await page.getByLabel(agent.test.messageTo('Miller'), { exact: true }).fill('hello')
        await page.keyboard.press('Enter')
        await page.locator('strong', { hasText: 'hello' }).waitFor()
        await page.getByText(chat.message.reasoning).waitFor()
        await page.getByRole('button', { name: 'Add a skill', exact: true }).click()
        await page.getByLabel('Skill', { exact: true }).fill('dress')
        await page.getByRole('option', { name: `${skill.namespace}/dressing`, exact: true }).click()
        await expect.poll(() => page.getByLabel(agent.skills.name, { exact: true }).inputValue()).toBe('dressing')
        await page.getByRole('button', { name: 'Add a variable', exact: true }).click()
        await page.getByRole('textbox', { name: agent.behavior.variable, exact: true }).fill('customer')
        await page.getByRole('button', { name: 'Add a rule', exact: true }).click()
        await page.getByLabel(agent.rules.effect, { exact: true }).selectOption({ label: agent.rules.effects.deny })
        await page.getByRole('textbox', { name: agent.rules.selector, exact: true }).fill('burn')
        await page.getByRole('button', { name: 'Add a hook', exact: true }).click()
        await page.getByLabel(agent.behavior.event, { exact: true }).selectOption('agent.tool_call')
        await page
          .getByLabel(agent.behavior.action, { exact: true })
          .selectOption({ label: agent.behavior.actions.gate })
        await page.getByLabel(agent.behavior.outputLabel, { exact: true }).fill('{"type":"object"}')
        expect(await world().violations(page)).toEqual([])
        await page.getByRole('button', { name: agent.editor.save, exact: true }).click()
        await page.getByText(agent.editor.noChanges).waitFor()
        const id = new URL(page.url()).pathname.split('/').at(-1)
        const { version } = (await world().call('GET', `/agents/${id}`)) as { version: object }
        expect(version).toMatchObject({
          skills: [{ name: 'dressing', description: body.description, skill_id: skill.id }],
          context: [{ name: 'customer' }],
          permissions: { rules: [{ effect: 'deny', kind: 'Tool', selector: 'burn' }] },
          hooks: [{ event: 'agent.tool_call', type: 'gate' }],
          output_schema: { type: 'object' },
        })
        // The following tests use the agent without these parts.
        for (const what of ['skill', 'variable', 'rule', 'hook'])
          await page.getByRole('button', { name: `Remove ${what} 1`, exact: true }).click()
        await page.getByLabel(agent.behavior.outputLabel, { exact: true }).fill('')
        await page.getByRole('button', { name: agent.editor.save, exact: true }).click()
        await page.getByText(agent.editor.noChanges).waitFor()
      })
    })

    it('requests an approval for the tool: the inbox counts it, and the agent continues after the answer', () =>
      world().visit('/agents', async (page) => {
        await page.getByRole('link', { name: /Miller/ }).click()
        await page.getByLabel(agent.test.messageTo('Miller'), { exact: true }).fill('count these words')
        await page.keyboard.press('Enter')
        await page.getByRole('button', { name: chat.approval.allowOnce, exact: true }).waitFor()
        expect(await world().violations(page)).toEqual([])
        await page.getByRole('link', { name: agent.test.open, exact: true }).click()
        const address = page.url()
        await page.getByRole('link', { name: 'Inbox 1 waiting', exact: true }).click()
        await page.getByText(chat.approval.titles.tool('count')).waitFor()
        await page.getByRole('button', { name: chat.approval.allowOnce, exact: true }).click()
        await page.getByText(chat.inbox.emptyTitle).waitFor()
        await page.goto(address)
        await page.getByText(/The tool said .*words/).waitFor()
        await page.getByRole('button', { name: chat.chat.authority, exact: true }).click()
        await page.getByText(chat.authority.byPerson).waitFor()
        await page.keyboard.press('Escape')
        await page.getByRole('button', { name: chat.chat.trace, exact: true }).click()
        await page.getByText(/steps?, 0 failed/).waitFor()
        expect(await world().violations(page)).toEqual([])
        await page.getByRole('tab', { name: chat.trace.graph, exact: true }).click()
        await page.locator('.react-flow__node', { hasText: 'count' }).first().waitFor()
        await expect.poll(() => page.locator('.react-flow__edge').count()).toBeGreaterThan(0)
        expect(await world().violations(page)).toEqual([])
      }))

    it('shows a form of the agent and submits it', () =>
      world().visit('/chats', async (page) => {
        await page.getByRole('row').nth(1).click()
        await page.getByLabel(chat.composer.message, { exact: true }).fill('order flour')
        await page.keyboard.press('Enter')
        await page.getByLabel('Bakery', { exact: true }).fill('Corner')
        await page.getByLabel('Today', { exact: true }).check()
        await page.getByRole('button', { name: 'Order it', exact: true }).click()
        await page.getByText(/The tool said .*"bakery":"Corner","today":true/).waitFor()
      }))

    it('queues a message and stops while the agent answers', () =>
      world().visit('/chats', async (page) => {
        await page.getByRole('row').nth(1).click()
        await page.getByLabel(chat.composer.message, { exact: true }).fill('speak slowly')
        await page.keyboard.press('Enter')
        await page.getByText(/grain grain grain/).waitFor()
        await page.getByLabel(chat.composer.message, { exact: true }).fill('rather not')
        await page.keyboard.press('Enter')
        await page.getByRole('button', { name: chat.message.cancelQueued, exact: true }).click()
        await expect.poll(() => page.getByText('rather not').count()).toBe(0)
        await page.getByRole('button', { name: chat.composer.stop, exact: true }).click()
        await page.getByText(chat.statuses.idle).first().waitFor()
      }))

    chatStories(world)

    it('duplicates the agent; the copy gets an HTTP tool, an app as hook, and its own rules', () =>
      world().visit('/agents?q=mill', async (page) => {
        await page.getByRole('link', { name: /Miller/ }).click()
        await page.waitForURL(/\/agents\/\w+$/)
        const original = page.url()
        await page.getByRole('button', { name: agent.page.duplicate, exact: true }).click()
        await page.waitForURL((address) => address.href !== original)
        await page.getByText(agent.page.duplicated(''), { exact: false }).waitFor()
        const id = new URL(page.url()).pathname.split('/').at(-1)
        await page.getByRole('button', { name: agent.tools.add, exact: true }).click()
        await page.getByRole('menuitem', { name: agent.tools.kinds.http, exact: true }).click()
        await page.getByLabel(agent.http.url, { exact: true }).fill('https://grain.example/{{kind}}')
        await page.getByLabel(agent.http.auth, { exact: true }).selectOption({ label: agent.http.authTypes.bearer })
        await page.getByLabel(agent.http.token, { exact: true }).fill('OPENAI_BASE_URL')
        await page.getByRole('button', { name: 'Add a header', exact: true }).click()
        await page.getByLabel(agent.http.headerName, { exact: true }).fill('Accept')
        await page.getByLabel(agent.http.headerValue, { exact: true }).fill('text/csv')
        await page.getByRole('button', { name: 'Add a hook', exact: true }).click()
        await page
          .getByLabel(agent.behavior.action, { exact: true })
          .selectOption({ label: agent.behavior.actions.task })
        await page.getByLabel(agent.behavior.handler, { exact: true }).fill('word-count')
        await page.getByRole('option', { name: /millrace\/word-count/ }).click()
        expect(await world().violations(page)).toEqual([])
        await page.getByRole('button', { name: agent.editor.save, exact: true }).click()
        await page.getByText(agent.editor.noChanges).waitFor()
        const { version } = (await world().call('GET', `/agents/${id}`)) as { version: { tools: object[] } }
        expect(version).toMatchObject({ hooks: [{ type: 'task', handler: 'millrace/word-count' }] })
        expect(version.tools.at(-1)).toMatchObject({
          type: 'http',
          http: { auth: { type: 'bearer', secret: 'OPENAI_BASE_URL' }, headers: { Accept: 'text/csv' } },
        })
        await page.getByRole('tab', { name: 'Rules', exact: true }).click()
        await page.waitForURL(/tab=rules/)
        await page.getByRole('button', { name: agent.rules.newRule, exact: true }).click()
        await page.getByLabel(agent.rules.selector, { exact: true }).fill('burn')
        await page.getByRole('button', { name: agent.rules.add, exact: true }).click()
        await page.getByText(agent.rules.summary(agent.rules.kinds.Tool, 'burn', '')).waitFor()
        expect(await world().violations(page)).toEqual([])
        expect(await world().call('GET', `/agents/${id}/rules`)).toMatchObject([{ effect: 'ask', selector: 'burn' }])
        await page.getByRole('button', { name: 'Remove', exact: true }).click()
        await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click()
        await page.getByText(agent.rules.emptyTitle).waitFor()
        await page.getByRole('tab', { name: 'Settings', exact: true }).click()
        await page.getByRole('button', { name: agent.settings.delete, exact: true }).click()
        await page.getByRole('dialog').getByRole('button', { name: agent.settings.delete, exact: true }).click()
        await page.waitForURL(/\/agents$/)
      }))
  })
