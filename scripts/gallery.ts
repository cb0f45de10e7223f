// Takes screenshots of the console: a server of its own, a workspace with example data, every page wide and narrow in
// both themes. `npm run gallery` keeps those that docs/console shows; `npm run gallery -- <folder>` writes all of them
// there.
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { settled } from '../e2e/support/axe.ts'
import { type ConsoleWorld, startConsole } from '../e2e/support/console.ts'
import { strings as machines } from '../packages/web/src/machines/strings.ts'
import {
  givenChat,
  givenFlow,
  givenKnowledge,
  givenMachines,
  givenRuns,
  givenStaff,
  givenTerminal,
  givenTrigger,
  setUp,
} from './gallery-given.ts'

const [everythingTo] = process.argv.slice(2)
const folder = everythingTo ?? fileURLToPath(new URL('../docs/console/', import.meta.url))

const widths = { wide: 1440, narrow: 390 } as const
const themes = ['light', 'dark'] as const

/** The screenshots in docs/console. */
const kept = new Set([
  ...['welcome', 'home', 'app', 'run', 'runs', 'flow', 'trigger', 'chat', 'knowledge', 'terminal', 'machines'].flatMap(
    (name) => themes.map((theme) => `${name}-${theme}`),
  ),
  ...['home', 'runs', 'chat', 'inbox'].map((name) => `${name}-narrow-dark`),
])

/** Waits until the page has loaded and animations have ended; a page that never settles is captured as it is. */
const atRest = async (page: Page): Promise<void> => {
  await page.waitForLoadState('networkidle', { timeout: 1_000 }).catch(() => undefined)
  await page
    .locator('.animate-pulse')
    .first()
    .waitFor({ state: 'detached', timeout: 3_000 })
    .catch(() => undefined)
  await page.waitForTimeout(250)
  await page.evaluate(settled)
}

const picture = async (page: Page, name: string): Promise<void> => {
  for (const [size, width] of Object.entries(widths)) {
    const names = themes.map((theme) => ({ theme, file: `${name}${size === 'wide' ? '' : '-narrow'}-${theme}` }))
    const wanted = names.filter(({ file }) => everythingTo !== undefined || kept.has(file))
    if (wanted.length === 0) continue
    await page.setViewportSize({ width, height: 900 })
    for (const { theme, file } of wanted) {
      await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
      await atRest(page)
      await page.screenshot({ path: join(folder, `${file}.png`) })
      console.log(`${file}.png`)
    }
  }
  await page.setViewportSize({ width: widths.wide, height: 900 })
}

const show = async (
  world: ConsoleWorld,
  path: string,
  name: string,
  work?: (page: Page) => Promise<void>,
): Promise<void> => {
  if (everythingTo === undefined && ![...kept].some((file) => file.startsWith(`${name}-`))) return
  await world.visit(path, async (page) => {
    await page.getByRole('heading', { level: 1 }).waitFor()
    await work?.(page)
    await picture(page, name)
  })
}

const selectRuns = async (page: Page): Promise<void> => {
  for (const index of [0, 1]) await page.getByRole('checkbox').nth(index).check()
}

/** The page of the first node that the newest flow run executed. */
const runOfFlow = async (world: ConsoleWorld): Promise<string> => {
  const filters = [{ field: 'flow_run_id', operator: 'is_not_null' }]
  const { items } = (await world.call('POST', '/tasks/list', { filters, limit: 1 })) as { items: { id: string }[] }
  return `/runs/${items[0]?.id}`
}

const rent = async (page: Page): Promise<void> => {
  await page.getByRole('button', { name: machines.rentThis('small'), exact: true }).click()
  await page.getByRole('button', { name: machines.rent.submit, exact: true }).click()
  await page.getByText(machines.rented.title).waitFor()
  await page.getByRole('button', { name: 'Rent gpu-1', exact: true }).click()
  await page.getByRole('region', { name: machines.rent.quote, exact: true }).waitFor()
}

const count = async (page: Page): Promise<void> => {
  await page.getByLabel('Text', { exact: true }).fill('to be or not to be')
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await page.getByText('Completed').first().waitFor()
}

/** Pages that only need to be opened, in the order of the side bar. */
const plain: Readonly<Record<string, string>> = {
  apps: '/apps',
  store: '/store',
  runs: '/runs',
  flows: '/flows',
  triggers: '/triggers',
  'trigger-new': '/triggers/new',
  agents: '/agents',
  chats: '/chats',
  inbox: '/inbox',
  knowledge: '/knowledge',
  search: '/search?q=mill',
  artifacts: '/artifacts',
  projects: '/projects',
  secrets: '/secrets',
  vaults: '/vaults',
  connections: '/connections',
  'tool-servers': '/tool-servers',
  files: '/files',
  engines: '/engines',
  remotes: '/remotes',
  account: '/settings/account',
  workspace: '/settings/workspace',
  people: '/settings/people',
  keys: '/settings/keys',
  services: '/settings/services',
  webhooks: '/webhooks',
  usage: '/usage',
  limits: '/settings/usage',
  money: '/settings/money',
  audit: '/settings/audit',
  missing: '/no-such-page',
}

const failures: string[] = []

/** A page that fails to open loses only its own screenshots. */
const attempt = async (name: string, work: () => Promise<void>): Promise<void> => {
  try {
    await work()
  } catch (error) {
    failures.push(name)
    console.error(`${name}: ${error instanceof Error ? error.message : error}`)
  }
}

const takeAll = async (world: ConsoleWorld, place: string): Promise<void> => {
  await setUp(world, (page) => picture(page, 'welcome'))
  await world.appsInstalled()
  await attempt('run', async () => show(world, (await givenRuns(world)).path, 'run'))
  await attempt('app', () => show(world, '/apps/millrace/word-count', 'app', count))
  await attempt('app-tabs', async () => {
    for (const tab of ['API', 'Code', 'Versions', 'Settings'])
      await show(world, '/apps/millrace/word-count', `app-${tab.toLowerCase()}`, (page) =>
        page.getByRole('tab', { name: tab, exact: true }).click(),
      )
  })
  await attempt('flow', async () => {
    const { path } = await givenFlow(world)
    await show(world, path, 'flow')
    await show(world, path.replace(/\?.*/, ''), 'flow-edit', (page) =>
      page.locator('.react-flow__node[data-id="word_count"]').click(),
    )
  })
  await attempt('runs-selected', () => show(world, '/runs', 'runs-selected', selectRuns))
  await attempt('run-steps', async () => show(world, await runOfFlow(world), 'run-steps'))
  await attempt('trigger', async () => {
    const { path } = await givenTrigger(world)
    await show(world, path, 'trigger')
    await show(world, '/triggers/new', 'trigger-clock', (page) => page.getByRole('button', { name: /^Clock/ }).click())
  })
  await attempt('knowledge', async () => {
    const { entry, artifact } = await givenKnowledge(world)
    await show(world, entry, 'entry')
    await show(world, artifact, 'artifact')
  })
  await attempt('chat', () => givenChat(world, (name, page) => picture(page, name)))
  await attempt('terminal', () => givenTerminal(world, place, (page) => picture(page, 'terminal')))
  await attempt('machines', async () => {
    await givenMachines(world)
    await show(world, '/machines', 'machines', rent)
  })
  await attempt('engine', async () => {
    const engines = (await world.call('GET', '/engines')) as { items: { id: string }[] }
    await show(world, `/engines/${engines.items[0]?.id}`, 'engine')
  })
  for (const [name, path] of Object.entries({ ...plain, home: '/', ...(await givenStaff(world)) }))
    await attempt(name, () => show(world, path, name))
}

const startedMs = Date.now()
await mkdir(folder, { recursive: true })
const place = await mkdtemp(join(tmpdir(), 'millrace-gallery-'))
const world = await startConsole({ env: { ALLOW_PRIVATE_HOSTS: '127.0.0.1', CLOUD_POLL_SECONDS: '1' } })
try {
  await takeAll(world, place)
  console.log(`${Math.round((Date.now() - startedMs) / 1000)} s`)
  if (failures.length > 0) throw new Error(`No screenshots of ${failures.join(', ')}`)
} finally {
  await world.close()
  await rm(place, { recursive: true, force: true })
}
