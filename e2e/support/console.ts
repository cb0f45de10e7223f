// The console in a real browser, on a real server with its engine: one of each per test file. A page that logs an
// error, leaves a rejection unhandled or gets an unexpected failure fails its test.
import { spawnSync } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { type Violation, violationsOf } from './axe.ts'
import { launchBrowser, screenshotFolder } from './browser.ts'
import { millrace, type SignedIn } from './operator.ts'
import { type ServerProcess, type StartOptions, startServer } from './server.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** A step that takes longer than this will not complete. */
const stepLimitMs = 60_000

/** Twice a second. */
const installTries = 240

export type ConsoleWorld = {
  readonly server: ServerProcess
  readonly browser: Browser
  readonly screenshots: string
  /** Opens a page as the signed-in owner; `work` fails if the page had faults. */
  visit(path: string, work: (page: Page) => Promise<void>, options?: VisitOptions): Promise<void>
  /** Calls the API like the owner's pages; returns `data`. */
  call(method: string, path: string, body?: object): Promise<unknown>
  /** Cookies of the signed-in owner, for a separate context. */
  state(): Promise<Awaited<ReturnType<BrowserContext['storageState']>>>
  /** A page of the owner that stays open over several tests, with its faults so far. */
  open(path: string): Promise<{ page: Page; faults: string[] }>
  /** Waits until every included app is installed, which takes a fresh server some seconds. */
  appsInstalled(): Promise<void>
  /** Axe violations of the page in its current state. */
  violations(page: Page): Promise<Violation[]>
  picture(page: Page, name: string): Promise<void>
  close(): Promise<void>
}

export type VisitOptions = {
  theme?: 'light' | 'dark'
  width?: number
  /** Expected error statuses, such as a rejection that the page shows. */
  expected?: readonly number[]
  context?: BrowserContext
}

const buildConsole = (): void => {
  const script = "import('./scripts/build-console.ts').then((module) => module.buildConsole())"
  const { status, stderr } = spawnSync(process.execPath, ['-e', script], { cwd: root, encoding: 'utf8' })
  if (status !== 0) throw new Error(`The console could not be built:\n${stderr}`)
}

/** Becomes the owner with the banner's link, like a person. */
const becomeOwner = async (context: BrowserContext, server: ServerProcess): Promise<void> => {
  const page = await context.newPage()
  await page.goto(server.ownerLink ?? '')
  await page.getByLabel('Email address', { exact: true }).fill('owner@mill.example')
  await page.getByRole('button', { name: 'Become the owner', exact: true }).click()
  await page.waitForURL(/\/console/)
  await page.close()
}

/** Collects everything that counts as a fault of a page. */
export const listenForFaults = (page: Page, expected: readonly number[] = []): string[] => {
  const faults: string[] = []
  page.on('console', (message) => {
    // The browser's own line about a failed reply is counted by its status below.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      faults.push(`console: ${message.text()}`)
  })
  page.on('pageerror', (error) => faults.push(`error: ${error.message}`))
  page.on('requestfailed', (request) => {
    // Leaving a page aborts its streams and open requests.
    if (request.failure()?.errorText !== 'net::ERR_ABORTED') faults.push(`failed: ${request.method()} ${request.url()}`)
  })
  page.on('response', (response) => {
    if (response.status() >= 400 && !expected.includes(response.status()))
      faults.push(`${response.status()}: ${response.request().method()} ${response.url()}`)
  })
  return faults
}

export const startConsole = async (options: StartOptions & { owner?: boolean } = {}): Promise<ConsoleWorld> => {
  buildConsole()
  const [browser, screenshots] = await Promise.all([launchBrowser(), screenshotFolder()])
  // If the server fails to start, the browser must be closed.
  const server = await startServer(options).catch(async (error: unknown) => {
    await browser.close()
    throw error
  })
  const signedIn = await browser.newContext({ viewport: { width: 1440, height: 900 } })
  signedIn.setDefaultTimeout(stepLimitMs)
  await signedIn.grantPermissions(['clipboard-read', 'clipboard-write'])
  if (options.owner ?? true) await becomeOwner(signedIn, server)
  return {
    server,
    browser,
    screenshots,
    visit: async (path, work, { theme = 'light', width = 1440, expected = [], context = signedIn } = {}) => {
      const page = await context.newPage()
      const faults = listenForFaults(page, expected)
      try {
        await page.setViewportSize({ width, height: 900 })
        await page.emulateMedia({ colorScheme: theme })
        await page.goto(`${server.url}/console${path}`)
        const refused = () => (faults.length > 0 ? `The page complained:\n${faults.join('\n')}` : '')
        await work(page).catch((error: unknown) => {
          // Failed requests are usually the reason of a timeout, so they are added to the error.
          if (error instanceof Error && faults.length > 0) error.message += `\n${refused()}`
          throw error
        })
        if (faults.length > 0) throw new Error(refused())
      } finally {
        await page.close()
      }
    },
    call: async (method, path, body) => {
      const answer = await signedIn.request.fetch(`${server.url}${path}`, {
        method,
        headers: { origin: server.url, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { data: body }),
      })
      if (!answer.ok()) throw new Error(`${method} ${path} answered ${answer.status()}: ${await answer.text()}`)
      return ((await answer.json()) as { data: unknown }).data
    },
    state: () => signedIn.storageState(),
    appsInstalled: async () => {
      const shipped = (await readdir(join(root, 'apps'))).length
      for (let tries = 0; tries < installTries; tries += 1) {
        const answer = await signedIn.request.get(`${server.url}/apps?include_others=true&limit=1`)
        const { data } = (await answer.json()) as { data: { total_items: number } }
        if (data.total_items >= shipped) return
        await sleep(500)
      }
      throw new Error('The included apps were not installed')
    },
    open: async (path) => {
      const page = await signedIn.newPage()
      const faults = listenForFaults(page)
      await page.goto(`${server.url}/console${path}`)
      return { page, faults }
    },
    violations: violationsOf,
    picture: async (page, name) => {
      await page.screenshot({ path: join(screenshots, `${name}.png`) })
    },
    close: async () => {
      await browser.close()
      await server.remove()
    },
  }
}

/** Lets the agents of this workspace talk to a model server, in place of the one of an earlier story. */
export const useModel = async ({ call }: ConsoleWorld, value: string): Promise<void> => {
  await call('PUT', '/secrets/OPENAI_BASE_URL', { value }).catch(() =>
    call('POST', '/secrets', { key: 'OPENAI_BASE_URL', value }),
  )
}

/** Another person, an admin of the owner's workspace. Takes seconds, so start it concurrently. */
export const signInColleague = async ({ call, server }: ConsoleWorld): Promise<SignedIn> => {
  const { team } = (await call('GET', '/me')) as { team: { username: string } }
  const words = ['--email', 'grace@mill.example', '--team', team.username, '--role', 'admin', '--json']
  return JSON.parse(await millrace(server.dataDir, 'admin', 'sign-in', ...words)) as SignedIn
}
