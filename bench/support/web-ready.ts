// Time until a window with an empty cache is usable: the content of the page is shown and the main thread is idle. Home, ten
// thousand runs, a flow of two hundred nodes, a chat; at full speed and on a throttled processor.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import type { ConsoleWorld } from '../../e2e/support/console.ts'
import { givenManyRuns } from '../../e2e/support/many-runs.ts'
import { median } from './load.ts'
import { givenLargeFlow, nodes } from './web-drag.ts'
import { rows } from './web-rows.ts'

const visits = 5
const slower = 4
/** The page counts as idle after this time without long tasks. */
const idleMs = 1_000

type MeasuredPage = { name: string; path: string; shown: (page: Page) => Promise<unknown> }

const createPages = async (world: ConsoleWorld): Promise<MeasuredPage[]> => {
  await givenManyRuns(world, rows)
  const flow = await givenLargeFlow(world, 'ready')
  const agent = (await world.call('POST', '/agents', { name: 'reader' })) as { id: string }
  const chat = (await world.call('POST', '/chats', { agent: agent.id })) as { id: string }
  return [
    { name: 'home', path: '/', shown: (page) => page.getByRole('heading', { level: 1 }).waitFor() },
    {
      name: `runs (${rows} rows)`,
      path: '/runs',
      shown: (page) => page.locator('[role=row][aria-rowindex="11"]:not([aria-busy])').waitFor(),
    },
    {
      name: `flow (${nodes} nodes)`,
      path: `/flows/${flow}`,
      shown: (page) =>
        page
          .locator('.react-flow__edge')
          .nth(nodes - 2)
          .waitFor({ state: 'attached' }),
    },
    {
      name: 'chat',
      path: `/chats/${chat.id}`,
      shown: (page) => page.getByLabel('Message the agent', { exact: true }).waitFor(),
    },
  ]
}

/** End of the last task of more than 50 ms, by the page's own clock. */
const watchTasks = `window.__busyUntil = 0; new PerformanceObserver((list) => {
  for (const { startTime, duration } of list.getEntries()) window.__busyUntil = startTime + duration
}).observe({ type: 'longtask', buffered: true })`

const readyMs = async (world: ConsoleWorld, { path, shown }: MeasuredPage, rate: number): Promise<number> => {
  const context = await world.browser.newContext({ storageState: await world.state() })
  await context.addInitScript(watchTasks)
  const page = await context.newPage()
  const cdp = await context.newCDPSession(page)
  await cdp.send('Emulation.setCPUThrottlingRate', { rate })
  await page.goto(`${world.server.url}/console${path}`)
  await shown(page)
  const shownMs = (await page.evaluate('performance.now()')) as number
  // Evaluated through the debugger, because the page's content policy forbids eval.
  const idleSinceMs = async () =>
    (await page.evaluate(`performance.now() - Math.max(window.__busyUntil, ${shownMs})`)) as number
  while ((await idleSinceMs()) < idleMs) await sleep(100)
  const busyUntilMs = (await page.evaluate('window.__busyUntil')) as number
  await context.close()
  return Math.max(shownMs, busyUntilMs)
}

export const benchReady = async (world: ConsoleWorld): Promise<void> => {
  for (const measured of await createPages(world)) {
    const results: string[] = []
    for (const rate of [1, slower]) {
      const times: number[] = []
      for (let visit = 0; visit < visits; visit += 1) times.push(await readyMs(world, measured, rate))
      results.push(`${median(times).toFixed(0)} ms${rate === 1 ? '' : ` on a processor ${rate} times slower`}`)
    }
    console.log(`${measured.name}: ready after ${results.join(', ')}`)
  }
}
