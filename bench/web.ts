// Bytes that a browser downloads for the console, compressed with gzip, and the time until it is shown: home first,
// then what the flow editor and a chat download in addition. Aim: 180 kB for home. Then time to interactive of large
// pages, a drag in a large flow, a long list, and the memory of a window that stays open. `npm run bench -- web <part>`
// runs one of them: load, ready, drag, rows, memory.
import type { Page } from 'playwright-core'
import { type ConsoleWorld, startConsole } from '../e2e/support/console.ts'
import { median } from './support/load.ts'
import { benchDrag } from './support/web-drag.ts'
import { benchMemory } from './support/web-memory.ts'
import { benchReady } from './support/web-ready.ts'
import { benchRows } from './support/web-rows.ts'

const aimBytes = 180_000
const visits = 5

type Loaded = { bytes: number; files: number; readyMs: number }

/** Scripts and styles that a page loads with an empty cache, until its heading is shown. */
const load = async (world: ConsoleWorld, page: Page, path: string): Promise<Loaded> => {
  const sizes: Promise<number>[] = []
  const onResponse = (response: Awaited<ReturnType<Page['waitForResponse']>>) => {
    if (/\.(js|css)$/.test(new URL(response.url()).pathname))
      sizes.push(
        response
          .request()
          .sizes()
          .then(({ responseBodySize }) => responseBodySize),
      )
  }
  page.on('response', onResponse)
  const startedMs = performance.now()
  await page.goto(`${world.server.url}/console${path}`)
  await page.getByRole('heading', { level: 1 }).waitFor()
  const readyMs = performance.now() - startedMs
  await page.waitForLoadState('networkidle', { timeout: 3000 }).catch(() => undefined)
  page.off('response', onResponse)
  const all = await Promise.all(sizes)
  return { bytes: all.reduce((sum, one) => sum + one, 0), files: all.length, readyMs }
}

const benchLoad = async (world: ConsoleWorld): Promise<void> => {
  const state = await world.state()
  const measure = async (path: string): Promise<Loaded> => {
    // A new context has an empty cache.
    const context = await world.browser.newContext({
      storageState: state,
      extraHTTPHeaders: { 'accept-encoding': 'gzip' },
    })
    const loaded = await load(world, await context.newPage(), path)
    await context.close()
    return loaded
  }
  const flow = (await world.call('POST', '/flows', { name: 'bench' })) as { id: string }
  const agent = (await world.call('POST', '/agents', { name: 'bench' })) as { id: string }
  const chat = (await world.call('POST', '/chats', { agent: agent.id })) as { id: string }
  for (const path of ['/', '/runs', `/flows/${flow.id}`, `/chats/${chat.id}`, '/agents', '/installation']) {
    const seen: Loaded[] = []
    for (let visit = 0; visit < visits; visit += 1) seen.push(await measure(path))
    const [first] = seen
    if (!first) continue
    const kilobytes = (first.bytes / 1000).toFixed(1)
    const ready = median(seen.map(({ readyMs }) => readyMs)).toFixed(0)
    const verdict = path === '/' ? `, aim ${aimBytes / 1000} kB: ${first.bytes <= aimBytes ? 'held' : 'missed'}` : ''
    console.log(
      `${path.padEnd(13).slice(0, 13)} ${kilobytes} kB in ${first.files} files, there after ${ready} ms${verdict}`,
    )
  }
}

const parts: Readonly<Record<string, (world: ConsoleWorld) => Promise<void>>> = {
  load: benchLoad,
  ready: benchReady,
  drag: benchDrag,
  rows: benchRows,
  memory: benchMemory,
}

const [, wanted] = process.argv.slice(2)
if (wanted !== undefined && !Object.hasOwn(parts, wanted))
  throw new Error(`Unknown part ${wanted}; there are ${Object.keys(parts).join(', ')}`)
const world = await startConsole({ env: { RATE_LIMIT_RUN: '0' } })
try {
  for (const [name, part] of Object.entries(parts)) if (wanted === undefined || wanted === name) await part(world)
} finally {
  await world.close()
}
