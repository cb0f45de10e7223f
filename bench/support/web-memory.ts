// Memory of a window that stays open: as many live events and page changes as in an hour, as fast as possible. After
// each tenth the retained memory is measured after a forced garbage collection. `EVENTS` and `PAGES` shorten it.
import type { Page } from 'playwright-core'
import type { ConsoleWorld } from '../../e2e/support/console.ts'
import { addressIn, workspaceIn } from '../../packages/web/src/api/workspace-address.ts'
import { median } from './load.ts'
import { megabytesHeld } from './web-rows.ts'

const events = Number(process.env.EVENTS ?? 36_000)
const pageChanges = Number(process.env.PAGES ?? 500)
const rounds = 10
const atOnce = 8
/** Tolerance for variation between garbage collections. */
const steadyShare = 1.1

const paths = ['/runs', '/apps', '/flows', '/triggers', '/chats', '/inbox', '/agents', '/knowledge', '/engines', '/']

/** Counts the workspace events that a window receives, on a separate stream. */
const countEvents = async (world: ConsoleWorld, leave: AbortSignal): Promise<() => number> => {
  const { cookies } = await world.state()
  const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ')
  const { body } = await fetch(`${world.server.url}/events`, {
    headers: { cookie, accept: 'text/event-stream' },
    signal: leave,
  })
  if (!body) throw new Error('The event stream has no body')
  let count = 0
  let isOver = false
  const read = async () => {
    for await (const text of body.pipeThrough(new TextDecoderStream())) count += text.match(/^event: /gm)?.length ?? 0
  }
  const end = () => {
    isOver = true
  }
  void read().then(end, end)
  return () => {
    if (isOver && !leave.aborted) throw new Error(`The event stream ended after ${count}`)
    return count
  }
}

/** Creates this many events: runs, which are new rows and change, and renamed chats. */
const createEvents = async (world: ConsoleWorld, chat: string, seen: () => number, wanted: number): Promise<void> => {
  const end = seen() + wanted
  const work = async () => {
    for (let step = 0; seen() < end; step += 1)
      await (step % 2 === 0
        ? world.call('POST', '/run', { app: 'millrace/word-count', wait: true, input: { text: 'grist for the mill' } })
        : world.call('POST', `/chats/${chat}`, { name: `Flour ${step}` }))
  }
  await Promise.all(Array.from({ length: atOnce }, work))
}

const changePages = async (page: Page, count: number): Promise<void> => {
  for (let step = 0; step < count; step += 1) {
    const path = addressIn(workspaceIn(new URL(page.url()).pathname), paths[step % paths.length])
    await page.evaluate(`document.title = ''; history.pushState({}, '', ${JSON.stringify(path)})`)
    while ((await page.title()) === '') await page.waitForTimeout(20)
  }
}

export const benchMemory = async (world: ConsoleWorld): Promise<void> => {
  await world.appsInstalled()
  const config = { system_prompt: 'Be brief.', core_app: { ref: 'millrace/openai-chat' } }
  const agent = (await world.call('POST', '/agents', { name: 'miller', version: config })) as { id: string }
  const chat = (await world.call('POST', '/chats', { agent: agent.id, name: 'About flour' })) as { id: string }
  const leave = new AbortController()
  const seen = await countEvents(world, leave.signal)
  await world.visit('/', async (page) => {
    const cdp = await page.context().newCDPSession(page)
    await cdp.send('Performance.enable', { timeDomain: 'threadTicks' })
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.waitForLoadState('networkidle', { timeout: 3000 }).catch(() => undefined)
    const before = await megabytesHeld(cdp)
    const held: number[] = []
    for (let round = 0; round < rounds; round += 1) {
      await Promise.all([
        createEvents(world, chat.id, seen, events / rounds),
        changePages(page, Math.ceil(pageChanges / rounds / paths.length) * paths.length),
      ])
      held.push(await megabytesHeld(cdp))
    }
    const third = Math.ceil(rounds / 3)
    const growth = median(held.slice(-third)) / median(held.slice(0, third))
    console.log(
      `memory ${before.toFixed(1)} MB at first; after each tenth of ${seen()} events and ${pageChanges} changes of page: ` +
        `${held.map((each) => each.toFixed(1)).join(', ')} MB; the last third retains ${growth.toFixed(2)} times what the first ` +
        `does, aim no growth: ${growth <= steadyShare ? 'met' : 'missed'}`,
    )
  })
  leave.abort()
}
