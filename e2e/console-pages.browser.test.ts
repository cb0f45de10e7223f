// Guarantees: every page of the console has no axe violations, wide and narrow and never wider than its screen, in both
// themes: empty, with content, while loading and on errors; no page logs an error or gets an unexpected reply; and a
// new route without a visit here fails.
import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startMcpServer, type TestMcpServer } from '../packages/server/src/agents/mcp-servers/testing/mcp-server.ts'
import { registration } from '../packages/server/src/machines/engines/testing/engine-double.ts'
import { addressIn, workspaceIn } from '../packages/web/src/api/workspace-address.ts'
import { slowPages, visits } from './console/visits.ts'
import { authenticatorCode } from './support/authenticator.ts'
import { widerThanScreen } from './support/axe.ts'
import { hasBrowser } from './support/browser.ts'
import { type ConsoleWorld, startConsole } from './support/console.ts'

/** The narrowest supported screen width for reading and approving. */
const narrowest = 360

type Row = { id: string }
type View = { page: Page; faults: string[]; theme: string; width: number }

/** The id in the URL of each detail page; created after the empty pages were visited. */
const given: Record<string, string> = {}

const idsIn = /:(\w+)/g
const addressOf = (visit: string): string => visit.replace(idsIn, (_, name: string) => given[name] ?? name)
const withoutIds = Object.values(visits).filter((visit) => !visit.includes(':'))

const inPairs = (given: readonly string[]): [string, string?][] =>
  given.flatMap((_, index) => (index % 2 === 0 ? [given.slice(index, index + 2) as [string, string?]] : []))

/** Content of the installation pages, after the sign-in is confirmed. */
const givenStaffWork = async (world: ConsoleWorld): Promise<void> => {
  const { secret } = (await world.call('POST', '/auth/totp/enroll')) as { secret: string }
  await world.call('POST', '/auth/totp/confirm', { code: authenticatorCode(secret, Date.now()) })
  given.workspace = ((await world.call('GET', '/me')) as { team: Row }).team.id
  const limits = { triggers: { type: 'limit', limit: 3 } }
  await world.call('PUT', '/plans/small', { plan_type: 'base', description: 'For one mill', limits })
  await world.call('PUT', `/workspaces/${given.workspace}/plans/small`)
  await world.call('PUT', `/workspaces/${given.workspace}/limits/seats`, { limit: 7 })
  const organization = await world.call('POST', '/organizations', { name: 'The mills', username: 'the-mills' })
  given.organization = (organization as Row).id
  await world.call('POST', '/ip-blocks', { network: '203.0.113.0/24', reason: 'floods' })
}

/** One resource of every kind with a detail page. */
const givenWork = async (world: ConsoleWorld, tools: TestMcpServer): Promise<void> => {
  await world.appsInstalled()
  const post = async (path: string, body: object) => (await world.call('POST', path, body)) as Row
  const make = async (name: string, path: string, body: object) => {
    given[name] = (await post(path, body)).id
  }
  given.app = 'millrace/http-request'
  await make('run', '/run', { app: 'millrace/word-count', wait: true, input: { text: 'grist for the mill' } })
  await post('/run', { app: 'millrace/echo', function: 'fail', wait: true, input: { message: 'the mill is dry' } })
  await make('flow', '/flows', { name: 'grinding' })
  await world.call('POST', `/flows/${given.flow}/actions`, {
    actions: [{ type: 'node.add', payload: { id: 'sum', type: 'utility', position: { x: 0, y: 0 } } }],
  })
  await make('trigger', '/triggers', { name: 'Hook', type: 'webhook', action: 'run_flow', flow_id: given.flow })
  const config = { system_prompt: 'Be brief.', core_app: { ref: 'millrace/openai-chat' } }
  await make('agent', '/agents', { name: 'miller', title: 'Miller', version: config })
  await make('chat', '/chats', { agent: given.agent, name: 'About flour' })
  await make('entry', '/knowledge', {
    name: 'stones',
    description: 'How millstones are dressed',
    version: { content: { path: 'stones.md', content: '# Stones' } },
  })
  await make('artifact', '/artifacts', { title: 'Yield', type: 'html', content: '<h1>412 kg</h1>' })
  await make('remote', '/remotes', { name: 'laptop' })
  const server = await world.call('POST', '/mcp-servers', { name: 'Mill tools', server_url: tools.url })
  given.slug = (server as { slug: string }).slug
  await post('/projects', { name: 'Harvest', type: 'other' })
  await post('/secrets', { key: 'MILL_TOKEN', value: 'grist' })
  await post('/apikeys', { name: 'laptop' })
  await givenStaffWork(world)
  const engine = await world.call('POST', '/engines/register', registration({ name: 'desk' }))
  given.engine = (engine as { engine_id: string }).engine_id
}

describe.skipIf(!hasBrowser)('every page', () => {
  let world: ConsoleWorld
  let wide: View
  let narrow: View
  /** Empty pages are small, so two are visited concurrently. */
  let narrowToo: View
  let tools: TestMcpServer
  beforeAll(async () => {
    tools = await startMcpServer()
    world = await startConsole({ env: { ALLOW_PRIVATE_HOSTS: '127.0.0.1' } })
    const views = [openView('light', 1440), openView('dark', narrowest), openView('dark', narrowest)] as const
    ;[wide, narrow, narrowToo] = await Promise.all(views)
  })
  afterAll(async () => {
    await world?.close()
    await tools?.close()
  })

  /** A page with a fixed theme from its load on, so that no color transition is measured. */
  const openView = async (theme: 'light' | 'dark', width: number): Promise<View> => {
    const { page, faults } = await world.open('/settings')
    await page.setViewportSize({ width, height: 900 })
    await setTheme(page, theme)
    await page.reload()
    await setTheme(page, theme)
    await page.getByRole('heading', { level: 1 }).waitFor()
    return { page, faults, theme, width }
  }
  /** Navigates inside the app without a reload. A page has its title once it is shown. */
  const go = async (page: Page, path: string) => {
    // On a retry the page is already shown, so leave it first.
    const otherPath = path === '/files' ? '/vaults' : '/files'
    const { pathname } = new URL(page.url())
    const addressFor = (each: string) => addressIn(workspaceIn(pathname), each)
    for (const next of pathname === addressFor(path) ? [otherPath, path] : [path]) {
      await page.evaluate(`document.title = ''; history.pushState({}, '', ${JSON.stringify(addressFor(next))})`)
      await expect.poll(() => page.title(), { timeout: 60_000 }).not.toBe('')
    }
  }
  const visitIn = async ({ page, faults, theme, width }: View, path: string) => {
    await go(page, path)
    await page.getByRole('heading', { level: 1 }).first().waitFor()
    expect({ theme, width, found: await world.violations(page) }).toEqual({ theme, width, found: [] })
    if (width === narrowest) expect(await widerThanScreen(page)).toBe(0)
    expect(faults.splice(0)).toEqual([])
  }

  const setTheme = async (page: Page, colorScheme: 'light' | 'dark') => {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await page.locator(colorScheme === 'dark' ? 'html.dark' : 'html:not(.dark)').waitFor({ state: 'attached' })
  }
  const inTheme = async (page: Page, colorScheme: 'light' | 'dark') => {
    await setTheme(page, colorScheme)
    return (await world.violations(page)).map((violation) => ({ colorScheme, ...violation }))
  }

  it('every route of the router has a visit', async () => {
    const router = await readFile(new URL('../packages/web/src/router.tsx', import.meta.url), 'utf8')
    const routes = [...router.matchAll(/(?:\b(?:page|tabbed|listed)\(|\bpath: )'([^']+)'/g)].map(([, path]) => path)
    expect(routes.sort()).toEqual(Object.keys(visits).sort())
  })

  it.each(inPairs(withoutIds))('with nothing in it: %s %s', async (one, other) => {
    const look = async (view: View, path: string | undefined) => {
      if (path === undefined) return
      await setTheme(view.page, 'dark')
      await visitIn(view, path)
      expect(await inTheme(view.page, 'light')).toEqual([])
    }
    await Promise.all([look(narrow, one), look(narrowToo, other)])
  })

  it('shows the loading state, and then the error', async () => {
    const { page } = await world.open('/settings')
    // The address names the workspace once the console has started.
    await page.waitForURL(/\/console\/[^/]+\/settings/)
    let answer = () => {}
    let held = Promise.resolve()
    await page.route(
      (url) => !url.pathname.startsWith('/console'),
      async (route) => {
        await held
        await route.fulfill({
          status: 400,
          contentType: 'application/problem+json',
          body: '{"detail":"The mill is shut"}',
        })
      },
    )
    for (const [index, path] of slowPages.entries()) {
      // Both states are checked in both themes, alternating between pages.
      const [first, then] = index % 2 === 0 ? (['dark', 'light'] as const) : (['light', 'dark'] as const)
      held = new Promise<void>((release) => {
        answer = release
      })
      await go(page, path)
      await page.locator('#main').locator('[aria-label=Loading],.animate-pulse').first().waitFor()
      expect({ path, loading: await inTheme(page, first) }).toEqual({ path, loading: [] })
      answer()
      await page.locator('#main').getByRole('alert').first().waitFor()
      expect({ path, failed: await inTheme(page, then) }).toEqual({ path, failed: [] })
    }
    await page.close()
  })

  it.each([
    ['light', 'dark', 'Dark'],
    ['dark', 'light', 'Light'],
  ] as const)('of a system that is %s is %s where that was chosen', async (system, chosen, label) => {
    const context = await world.browser.newContext({ storageState: await world.state(), colorScheme: system })
    const shownAs = (theme: string) => (theme === 'dark' ? 'html.dark' : 'html:not(.dark)')
    try {
      const page = await context.newPage()
      await page.goto(`${world.server.url}/console/runs`)
      await page.locator(shownAs(system)).waitFor({ state: 'attached' })
      await page.getByRole('button', { name: /, account and theme$/ }).click()
      await page.getByRole('menuitem', { name: label, exact: true }).click()
      const stands = async () => {
        await page.getByRole('heading', { level: 1 }).waitFor()
        await page.locator(shownAs(chosen)).waitFor({ state: 'attached' })
        expect(await page.evaluate('getComputedStyle(document.documentElement).colorScheme')).toBe(chosen)
        expect(await world.violations(page)).toEqual([])
      }
      await stands()
      await page.reload()
      await stands()
    } finally {
      await context.close()
    }
  })

  describe('with content', () => {
    beforeAll(async () => {
      await givenWork(world, tools)
      await narrowToo.page.close()
      await setTheme(narrow.page, 'dark')
      // A page learns about the confirmed sign-in only by a reload.
      for (const { page } of [wide, narrow]) await page.reload()
    })

    it.each([...Object.values(visits), '/no-such-page'])('%s', async (visit) => {
      await Promise.all([visitIn(wide, addressOf(visit)), visitIn(narrow, addressOf(visit))])
    })

    it('of an app has a URL for each tab, and Back returns to the tab before and to the position in the list', async () => {
      const tab = (page: Page, name: string) => page.getByRole('tab', { name, exact: true, selected: true })
      await world.visit('/apps', async (page) => {
        await page.setViewportSize({ width: 1440, height: 300 })
        const list = page.locator('#main')
        const link = list.locator(`a[href$="${addressOf('/apps/:app')}"]`).first()
        await link.scrollIntoViewIfNeeded()
        await list.evaluate((element) => element.scrollBy(0, 40))
        const left = await list.evaluate((element) => element.scrollTop)
        expect(left).toBeGreaterThan(0)
        await link.click()
        await page.getByRole('tab', { name: 'Versions', exact: true }).click()
        await expect.poll(() => page.url()).toMatch(/\?tab=versions$/)
        await page.goBack()
        await tab(page, 'Run').waitFor()
        await page.goBack()
        await page.getByRole('heading', { level: 1, name: 'Apps', exact: true }).waitFor()
        await expect.poll(() => list.evaluate((element) => element.scrollTop)).toBe(left)
      })
      await world.visit(`${addressOf('/apps/:app')}?tab=versions`, (page) => tab(page, 'Versions').waitFor())
    })
  })
})
