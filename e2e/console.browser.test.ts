// Guarantees: a person with only the banner's link and a browser gets to a finished run, a flow, a webhook and a key;
// the console shows the server's state live; no page logs an error, leaves a rejection unhandled or gets an unexpected
// reply.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { strings as apps } from '../packages/web/src/apps/strings.ts'
import { strings as flows } from '../packages/web/src/flows/strings.ts'
import { strings as form } from '../packages/web/src/forms/strings.ts'
import { strings as runs } from '../packages/web/src/runs/strings.ts'
import { strings as settingsStrings } from '../packages/web/src/settings/strings.ts'
import { strings as triggersStrings } from '../packages/web/src/triggers/strings.ts'
import { dragsWithItsLines } from './console/dragging.ts'
import { peopleStories } from './console/people.ts'
import { templateStories } from './console/templates.ts'
import { tryingStories } from './console/trying.ts'
import { hasBrowser } from './support/browser.ts'
import { type ConsoleWorld, startConsole } from './support/console.ts'
import { pick } from './support/pick.ts'

describe.skipIf(!hasBrowser)('the console', () => {
  let world: ConsoleWorld
  /** Measured from before the start of the program: the total waiting time of a person. */
  let begunMs = 0
  const sayWhen = (what: string) =>
    console.log(`${what} ${Math.round((Date.now() - begunMs) / 1000)} s after the start`)
  beforeAll(async () => {
    begunMs = Date.now()
    world = await startConsole({ env: { ALLOW_PRIVATE_HOSTS: '127.0.0.1' } })
  })
  afterAll(() => world?.close())

  peopleStories(() => world)

  const runWordCount = async (page: Page, text: string): Promise<void> => {
    await page.getByLabel('Text', { exact: true }).fill(text)
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await page.getByText('Completed').first().waitFor()
  }

  it('leads from home to the first result, and shows how long that took', () =>
    world.visit('/', async (page) => {
      const startedMs = Date.now()
      await page
        .getByRole('link', { name: /^Run an app/ })
        .first()
        .click()
      await page.getByRole('link', { name: /Word count/ }).click()
      await runWordCount(page, 'to be or not to be')
      await page.getByRole('cell', { name: 'to', exact: true }).waitFor()
      console.log(`first result ${Math.round((Date.now() - startedMs) / 1000)} s after home`)
      sayWhen('first result')
      await page.getByRole('link', { name: 'Open', exact: true }).click()
      await page.getByRole('heading', { name: 'Word count', exact: true }).waitFor()
      await page.getByRole('heading', { name: runs.run.timeline, exact: true }).waitFor()
      await expect.poll(() => page.title()).toBe('Run of Word count · Millrace')
    }))

  it('names missing fields before it calls the server', () =>
    world.visit('/apps/millrace/http-request', async (page) => {
      await page.getByRole('button', { name: 'Run', exact: true }).click()
      await page.getByText(form.faults.required('URL')).waitFor()
      // The input survives a visit to another tab and is part of the code there.
      await page.getByLabel('URL', { exact: true }).fill('https://example.com/grist')
      await page.getByRole('tab', { name: 'API', exact: true }).click()
      await page
        .getByRole('region', { name: apps.api.code('curl'), exact: true })
        .getByText('https://example.com/grist')
        .waitFor()
      await page.getByRole('tab', { name: 'Run', exact: true }).click()
      await expect.poll(() => page.getByLabel('URL', { exact: true }).inputValue()).toBe('https://example.com/grist')
      await page.getByRole('tab', { name: 'Settings', exact: true }).click()
      await page.getByRole('heading', { name: apps.usage.title, exact: true }).waitFor()
    }))

  it('shows a failure with its reason, and finds it by a filter in the URL', () =>
    world.visit('/apps/millrace/echo', async (page) => {
      await page.getByLabel('Function', { exact: true }).selectOption('fail')
      await page.getByLabel('Message', { exact: true }).fill('the mill is dry')
      await page.getByRole('button', { name: 'Run', exact: true }).click()
      await page.getByRole('alert').getByText('the mill is dry').waitFor()
      await page.goto(`${world.server.url}/console/runs`)
      await page.getByRole('button', { name: 'failed', exact: true }).click()
      await page.waitForURL(/status=failed/)
      await page.getByRole('row').filter({ hasText: 'the mill is dry' }).getByRole('link').first().click()
      await page.getByRole('button', { name: runs.run.edit, exact: true }).click()
      await page.waitForURL(/\/apps\/millrace\/echo/)
      await expect.poll(() => page.getByLabel('Function', { exact: true }).inputValue()).toBe('fail')
      await expect.poll(() => page.getByLabel('Message', { exact: true }).inputValue()).toBe('the mill is dry')
      // Used once: another function starts with its own values.
      await page.getByLabel('Function', { exact: true }).selectOption('count')
      await expect.poll(() => page.getByLabel('Message', { exact: true }).count()).toBe(0)
    }))

  it('cancels a run', () =>
    world.visit('/apps/millrace/echo', async (page) => {
      await page.getByLabel('Function', { exact: true }).selectOption('count')
      await page.getByLabel('To', { exact: true }).fill('600')
      await page.getByLabel('Delay ms', { exact: true }).fill('1000')
      await page.getByRole('button', { name: 'Run', exact: true }).click()
      await page.getByText('running', { exact: true }).first().waitFor()
      await page.getByRole('button', { name: 'Cancel', exact: true }).click()
      await page.getByText('Cancelled').first().waitFor()
    }))

  it('shows whether a run’s webhook arrived, and sends it again', async () => {
    const answers = [410, 200]
    const receiver = createServer((request, response) => {
      request.resume()
      response.writeHead(answers.shift() ?? 500).end()
    }).listen(0, '127.0.0.1')
    try {
      await once(receiver, 'listening')
      const webhook = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/done`
      const body = { app: 'millrace/echo', input: { hello: 'hook' }, webhook }
      const { id } = (await world.call('POST', '/run', body)) as { id: string }
      await world.visit(`/runs/${id}`, async (page) => {
        await page.getByText('Completed').first().waitFor()
        await page.getByText('The receiver answered 410 Gone').waitFor()
        await page.getByRole('button', { name: runs.deliveries.resend, exact: true }).click()
        await page.getByText('delivered', { exact: true }).waitFor()
        await expect
          .poll(() =>
            page.getByRole('list', { name: runs.deliveries.attempts, exact: true }).getByRole('listitem').count(),
          )
          .toBe(2)
        expect(await world.violations(page)).toEqual([])
      })
    } finally {
      receiver.close()
    }
  })

  it('finds a page and an app with the palette, and a page by keyboard', () =>
    world.visit('/apps/millrace/echo', async (page) => {
      await page.getByLabel('Function', { exact: true }).selectOption('fail')
      await page.keyboard.press('Control+k')
      await page.getByPlaceholder(/Search apps/).fill('markdown')
      await page.getByRole('option', { name: /Markdown to HTML/ }).click()
      await page.waitForURL(/\/apps\/millrace\/markdown-to-html/)
      await page.getByRole('heading', { name: 'Markdown to HTML', exact: true }).waitFor()
      // The page of another app does not use the function that was chosen before.
      await page.getByRole('tab', { name: 'API', exact: true }).click()
      const call = await page.getByRole('region', { name: apps.api.code('curl'), exact: true }).textContent()
      expect(call).toContain('"app":"millrace/markdown-to-html","input"')
      await page.keyboard.press('g')
      await page.keyboard.press('e')
      await page.waitForURL(/\/console\/\w+\/engines$/)
      await page.keyboard.press('?')
      await page.getByRole('dialog', { name: 'Keyboard', exact: true }).waitFor()
    }))

  it('creates a key with two scopes, and the key has only those', () =>
    world.visit('/settings/keys', async (page) => {
      await page.getByRole('button', { name: settingsStrings.apiKeys.create, exact: true }).first().click()
      await page.getByLabel('Name', { exact: true }).fill('two scopes')
      await page.getByRole('button', { name: settingsStrings.apiKeys.chooseScopes, exact: true }).click()
      for (const scope of ['apps:read', 'files:read']) await page.getByLabel(new RegExp(`${scope} ·`)).check()
      await page.getByRole('button', { name: settingsStrings.apiKeys.createSubmit, exact: true }).click()
      const key = await page.getByRole('region', { name: settingsStrings.apiKeys.key, exact: true }).textContent()
      const status = (path: string) =>
        fetch(`${world.server.url}${path}`, { headers: { authorization: `Bearer ${key}` } }).then(
          (answer) => answer.status,
        )
      expect([await status('/apps'), await status('/files'), await status('/secrets')]).toEqual([200, 200, 403])
    }))

  it('stores a secret, and reveals it only after confirmation', () =>
    world.visit('/secrets', async (page) => {
      await page.getByRole('button', { name: 'New secret', exact: true }).first().click()
      await page.getByLabel('Name', { exact: true }).fill('MILL_TOKEN')
      await page.getByLabel('Value', { exact: true }).fill('grist-and-flour')
      await page.getByRole('button', { name: 'Store', exact: true }).click()
      await page.getByRole('cell', { name: 'MILL_TOKEN', exact: true }).waitFor()
      expect(await page.content()).not.toContain('grist-and-flour')
      await page.getByRole('button', { name: 'Reveal MILL_TOKEN', exact: true }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Reveal', exact: true }).click()
      await page.getByText('grist-and-flour').waitFor()
    }))

  it('changes a secret, and restores the value before', () =>
    world.visit('/secrets', async (page) => {
      await page.getByRole('cell', { name: 'MILL_TOKEN', exact: true }).click()
      await page.getByLabel('Value', { exact: true }).fill('chaff-and-husks')
      await page.getByRole('button', { name: 'Replace value', exact: true }).click()
      await expect.poll(() => page.getByRole('dialog').count()).toBe(0)
      await page.getByRole('button', { name: 'Versions of MILL_TOKEN', exact: true }).click()
      await page.getByRole('button', { name: 'Restore value 1', exact: true }).waitFor()
      expect(await world.violations(page)).toEqual([])
      await page.getByRole('button', { name: 'Restore value 1', exact: true }).click()
      await page.getByText('Restored. Applies to the next run.').waitFor()
      await page.getByRole('button', { name: 'Restore value 2', exact: true }).waitFor()
      const { value } = (await world.call('GET', '/secrets/reveal/MILL_TOKEN')) as { value: string }
      expect(value).toBe('grist-and-flour')
    }))

  templateStories(() => world)

  it('builds a flow of three nodes by mouse, runs it, and colors its nodes', () =>
    world.visit('/flows', async (page) => {
      await page.getByRole('button', { name: flows.newFlow, exact: true }).first().click()
      await world.appsInstalled()
      await page.getByRole('button', { name: 'Add', exact: true }).click()
      await page.getByRole('menuitem', { name: 'Word count', exact: true }).click()
      const node = (id: string) => page.locator(`.react-flow__node[data-id="${id}"]`)
      await node('word_count').waitFor()
      const port = (id: string, key: string, side: 'source' | 'target') =>
        node(id).locator(`.react-flow__handle.${side}[data-handleid="${key}"]`)
      const connect = async (from: [string, string], to: [string, string], lines: number) => {
        await port(...from, 'source').dragTo(port(...to, 'target'))
        await expect.poll(() => page.locator('.react-flow__edge').count()).toBe(lines)
      }
      await connect(['input', 'text'], ['word_count', 'text'], 1)
      await connect(['word_count', 'words'], ['output', '+'], 2)
      expect(await world.violations(page)).toEqual([])
      await dragsWithItsLines(page, node('word_count'), port('word_count', 'text', 'target'))
      await page.getByRole('button', { name: 'Run', exact: true }).click()
      await page.getByRole('dialog').getByLabel('Text', { exact: true }).fill('grist for the mill')
      await page.getByRole('button', { name: flows.editor.start, exact: true }).click()
      await page.waitForURL(/run=/)
      await node('word_count').getByText('completed').waitFor({ state: 'attached' })
      await node('output').getByText('completed').waitFor({ state: 'attached' })
      await page.getByText('words: 4').waitFor()
      sayWhen('a flow of three nodes has run')
      await node('word_count').click()
      await page.getByRole('button', { name: flows.run.rerunFrom('word_count'), exact: true }).waitFor()
      await page
        .getByRole('complementary', { name: flows.editor.details, exact: true })
        .getByText('"grist for the mill"')
        .waitFor()
    }))

  const sendToNewTrigger = async (page: Page, text: string): Promise<void> => {
    await page.getByRole('button', { name: triggersStrings.create.title, exact: true }).click()
    const address = await page.getByRole('region', { name: triggersStrings.webhook.url, exact: true }).textContent()
    const delivered = await fetch(address ?? '', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ text }),
    })
    expect(delivered.status).toBe(200)
  }

  it('publishes that flow, adds a webhook, sends to it, and shows the flow run it started', () =>
    world.visit('/flows', async (page) => {
      await page.getByRole('cell', { name: 'Untitled flow', exact: true }).first().click()
      await page.locator('.react-flow__node[data-id="word_count"]').waitFor()
      await page.getByRole('button', { name: 'Publish', exact: true }).click()
      await page.getByText(flows.editor.published).waitFor()
      await page.getByRole('link', { name: flows.editor.trigger, exact: true }).click()
      await page.getByLabel('Name', { exact: true }).fill('grist by post')
      await sendToNewTrigger(page, 'flour sent from elsewhere today')
      // The log of trigger events updates by itself.
      await page
        .getByRole('row')
        .getByRole('link', { name: /^flow run / })
        .click()
      await page.waitForURL(/\/flows\/.*run=/)
      await page.getByText('words: 5').waitFor()
      sayWhen('a flow run by webhook is over')
    }))

  it('creates a webhook for an app, sends to it, and shows the run it started', () =>
    world.visit('/triggers/new', async (page) => {
      await page.getByLabel('Name', { exact: true }).fill('from elsewhere')
      await pick(page, triggersStrings.create.target, 'Word count')
      await sendToNewTrigger(page, 'sent from elsewhere')
      await page.getByRole('row').getByRole('link', { name: /^run / }).click()
      await page.getByText('Completed').first().waitFor()
      sayWhen('a run by webhook is over')
    }))

  tryingStories(() => world)

  it('leads a signed-out visitor to the sign-in page and back', async () => {
    const context = await world.browser.newContext()
    try {
      await world.visit('/runs?status=failed', (page) => page.waitForURL(/\/sign-in\?redirect_to=/), {
        context,
        expected: [401],
      })
    } finally {
      await context.close()
    }
  })
})
