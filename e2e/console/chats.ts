// A person in a chat: approves a tool always, denies a call, forks the chat, attaches files, and sees widgets.
import { expect, it } from 'vitest'
import { strings as chat } from '../../packages/web/src/chats/strings.ts'
import { uiStrings } from '../../packages/web/src/ui/strings.ts'
import type { ConsoleWorld } from '../support/console.ts'
import type { ModelTurn } from '../support/model-server.ts'

const pixel =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

/** Images, icons, tabs and an artifact, whose ID is part of the message. */
export const exhibit = (text: string): ModelTurn => ({
  call: {
    name: 'widget_ui',
    arguments: {
      components: [
        { id: 'root', component: 'Column', children: ['tabs', 'yield'] },
        {
          id: 'tabs',
          component: 'Tabs',
          tabs: [
            { title: 'Here', child: 'here' },
            { title: 'Elsewhere', child: 'else' },
          ],
        },
        { id: 'here', component: 'Row', children: ['star', 'own'] },
        { id: 'star', component: 'Icon', name: 'star' },
        { id: 'own', component: 'Image', url: pixel, alt: 'A grain' },
        { id: 'else', component: 'Image', url: 'https://pictures.example/mill.png', alt: 'A mill' },
        { id: 'yield', component: 'Artifact', artifactId: /artifact (\S+)/.exec(text)?.[1] ?? '' },
      ],
    },
  },
})

type Chat = { id: string }

/** Pastes a file. */
const paste = (name: string, text: string): string => `(() => {
  const clipboardData = new DataTransfer()
  clipboardData.items.add(new File([${JSON.stringify(text)}], ${JSON.stringify(name)}, { type: 'text/plain' }))
  document.activeElement.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
})()`

/** Uses the agent that an earlier test created. */
export const chatStories = (world: () => ConsoleWorld) => {
  const startChat = async (text: string): Promise<string> => {
    const { items } = (await world().call('GET', '/agents?limit=10')) as { items: { id: string; name: string }[] }
    const body = { agent_id: items.find(({ name }) => name === 'miller')?.id, input: { text } }
    const { user_message } = (await world().call('POST', '/agents/run', body)) as { user_message: { chat_id: string } }
    return `/chats/${user_message.chat_id}`
  }

  it('always allows a tool, denies the next call with a reason, and forks the chat', async () => {
    await world().visit(await startChat('count these'), async (page) => {
      const write = page.getByLabel(chat.composer.message, { exact: true })
      await page.getByRole('button', { name: chat.approval.alwaysAllow, exact: true }).click()
      await page.getByRole('menuitem').first().click()
      await page.getByText(/The tool said .*words/).waitFor()
      await page.getByRole('button', { name: new RegExp(`^${chat.details.removeRule('')}`) }).waitFor()
      expect(await world().violations(page)).toEqual([])
      await write.fill('count these')
      await page.keyboard.press('Enter')
      await expect.poll(() => page.getByText(/The tool said .*words/).count()).toBe(2)
      await page.getByRole('button', { name: new RegExp(`^${chat.details.removeRule('')}`) }).click()
      await page.getByText(chat.details.noRules).waitFor()
      await write.fill('count those')
      await page.keyboard.press('Enter')
      await page.getByRole('button', { name: chat.approval.deny, exact: true }).click()
      await page.getByLabel(uiStrings.reasonOptional, { exact: true }).fill('no need')
      await page.keyboard.press('Enter')
      await page.getByText(/The tool said .*no need/).waitFor()
      const first = page.url()
      await page.getByRole('button', { name: chat.message.fork, exact: true }).first().click()
      await expect.poll(() => page.url()).not.toBe(first)
      await page.getByText(/The tool said .*words/).waitFor()
      expect(await page.getByText(/no need/).count()).toBe(0)
    })
  })

  it('confirms before all tools are auto-approved, and turns it off at once', async () => {
    await world().visit(await startChat('hello'), async (page) => {
      const all = page.getByRole('checkbox', {
        name: `${chat.details.allowAll} ${chat.details.allowAllHelp}`,
        exact: true,
      })
      await all.click()
      await page.getByRole('button', { name: uiStrings.cancel, exact: true }).click()
      expect(await all.isChecked()).toBe(false)
      await all.click()
      expect(await world().violations(page)).toEqual([])
      await page.getByRole('button', { name: chat.details.allowAll, exact: true }).click()
      await expect.poll(() => all.isChecked()).toBe(true)
      await all.click()
      await expect.poll(() => all.isChecked()).toBe(false)
    })
  })

  it('shows task lists, code and wide tables that the keyboard can scroll', async () => {
    const address = await startChat('list tasks')
    for (const theme of ['light', 'dark'] as const)
      await world().visit(
        address,
        async (page) => {
          await page.getByRole('checkbox', { name: uiStrings.done, exact: true }).waitFor()
          await page.getByRole('checkbox', { name: uiStrings.notDone, exact: true }).waitFor()
          expect(await world().violations(page)).toEqual([])
          await page.setViewportSize({ width: 360, height: 800 })
          await page.locator('pre').focus()
          await page.getByRole('button', { name: uiStrings.copyCode, exact: true }).click()
          expect(await page.evaluate('navigator.clipboard.readText()')).toMatch(/^const sacks = /)
          expect(await world().violations(page)).toEqual([])
          await world().picture(page, `chat-code-${theme}`)
        },
        { theme },
      )
  })

  it('shows that a chat failed and why, until the next message', async () => {
    await world().visit(await startChat('break it'), async (page) => {
      const header = page.locator('header', { has: page.getByRole('heading', { level: 1 }) })
      await header.getByText(/the mill is broken/).waitFor()
      await header.getByText(chat.failed, { exact: true }).waitFor()
      const address = page.url()
      await page.getByRole('link', { name: chat.title, exact: true }).first().click()
      await page.getByRole('button', { name: chat.failed, exact: true }).click()
      await page.waitForURL(/status=failed/)
      const row = page.getByRole('row').filter({ hasText: 'the mill is broken' })
      await row.getByText(chat.failed, { exact: true }).waitFor()
      expect(await world().violations(page)).toEqual([])
      await page.goto(address)
      await page.getByLabel(chat.composer.message, { exact: true }).fill('hello')
      await page.keyboard.press('Enter')
      await header.getByText(chat.statuses.idle, { exact: true }).waitFor()
      expect(await header.getByText(/the mill is broken/).count()).toBe(0)
      await page.getByRole('button', { name: chat.usage.tokens(15), exact: true }).click()
      await page.getByText(`${chat.usage.output} 3`, { exact: true }).waitFor()
      expect(await world().violations(page)).toEqual([])
      await page.getByRole('link', { name: chat.usage.openRun, exact: true }).click()
      await page.getByRole('heading', { name: 'OpenAI-compatible chat', exact: true }).waitFor()
    })
  })

  it('attaches files that were chosen and pasted, and shows a widget', async () => {
    const { id } = (await world().call('POST', '/artifacts', { title: 'Yields', content: '<b>many sacks</b>' })) as Chat
    await world().visit(await startChat('hello'), async (page) => {
      const write = page.getByLabel(chat.composer.message, { exact: true })
      const file = { name: 'sacks.txt', mimeType: 'text/plain', buffer: Buffer.from('three sacks') }
      await page.locator('input[type=file]').setInputFiles(file)
      await write.focus()
      await page.evaluate(paste('grain.txt', 'rye'))
      await page.getByRole('button', { name: uiStrings.removeThing('grain.txt'), exact: true }).waitFor()
      await write.fill('look at these')
      await page.getByRole('button', { name: chat.composer.send, exact: true }).click()
      await page.getByRole('link', { name: 'sacks.txt', exact: true }).waitFor()
      await page.getByRole('link', { name: 'grain.txt', exact: true }).waitFor()
      await page
        .getByText(/You said/)
        .nth(1)
        .waitFor()
      await write.fill(`show artifact ${id}`)
      await page.keyboard.press('Enter')
      await page.getByRole('img', { name: 'star', exact: true }).waitFor()
      await page.getByRole('img', { name: 'A grain', exact: true }).waitFor()
      await page.frameLocator('iframe').getByText('many sacks').waitFor()
      expect(await world().violations(page)).toEqual([])
      await page.getByRole('tab', { name: 'Elsewhere', exact: true }).click()
      await page.getByText('image A mill https://pictures.example/mill.png').waitFor()
    })
  })
}
