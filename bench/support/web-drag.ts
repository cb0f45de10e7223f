// Drags a node of a large flow on a throttled processor, and measures frames per second as painted by the browser.
import type { CDPSession, Page } from 'playwright-core'
import type { ConsoleWorld } from '../../e2e/support/console.ts'

export const nodes = 200
const columns = 20
const slower = 4
const dragMs = 4_000
const aimFrames = 50
const card = '.react-flow__node[data-id="n110"]'

type Row = { id: string }

/** As many sequential nodes of one app as fit, each connected to the one before: a typical graph. */
export const givenLargeFlow = async (world: ConsoleWorld, name = 'large'): Promise<string> => {
  await world.appsInstalled()
  const apps = (await world.call('GET', '/apps?include_others=true&limit=100')) as { items: (Row & { name: string })[] }
  const app_id = apps.items.find(({ name }) => name === 'word-count')?.id
  const flow = (await world.call('POST', '/flows', { name })) as Row
  const actions = Array.from({ length: nodes }, (_, index) => {
    const position = { x: (index % columns) * 280, y: Math.floor(index / columns) * 320 }
    const add = { type: 'node.add', payload: { id: `n${index}`, type: 'appNode', position, data: { app_id } } }
    const connection = { nodeId: `n${index - 1}`, key: 'words' }
    const feed = { type: 'node.set_input', payload: { node_id: `n${index}`, input_key: 'text', input: { connection } } }
    return index === 0 ? [add] : [add, feed]
  }).flat()
  for (let begin = 0; begin < actions.length; begin += 50)
    await world.call('POST', `/flows/${flow.id}/actions`, { actions: actions.slice(begin, begin + 50) })
  return flow.id
}

/**
 * Records each frame: the time since the last one, and whether the card moved. A page that is busy with other work would
 * paint frames without movement, so only frames with a step count.
 */
const watch = `window.__frames = []; window.__last = performance.now(); window.__card = document.querySelector('${card}');
  window.__tick = (now) => {
    const place = window.__card.style.transform;
    window.__frames.push({ ms: now - window.__last, moved: place !== window.__place });
    window.__last = now; window.__place = place; window.__id = requestAnimationFrame(window.__tick) };
  window.__id = requestAnimationFrame(window.__tick); undefined`
const unwatch = 'cancelAnimationFrame(window.__id); window.__frames.slice(1)'

type Frame = { ms: number; moved: boolean }

/** The position where a node in the middle is grabbed. */
const grip = async (page: Page): Promise<{ x: number; y: number }> => {
  const box = await page.locator(card).boundingBox()
  if (!box) throw new Error('The node is not in view')
  return { x: box.x + box.width / 2, y: box.y + 4 }
}

/** Moves the mouse at its usual rate, whether the page keeps up or not. */
const dragAround = async (page: Page, from: { x: number; y: number }): Promise<Frame[]> => {
  await page.mouse.move(from.x, from.y)
  await page.mouse.down()
  await page.mouse.move(from.x + 10, from.y + 10)
  await page.evaluate(watch)
  const beganMs = performance.now()
  const moves: Promise<void>[] = []
  for (let step = 0; performance.now() - beganMs < dragMs; step += 1) {
    const angle = step / 12
    moves.push(page.mouse.move(from.x + 10 + 80 * Math.sin(angle), from.y + 10 + 60 * Math.cos(angle)))
    await new Promise((resolve) => setTimeout(resolve, 16))
  }
  await Promise.all(moves)
  const frames = (await page.evaluate(unwatch)) as Frame[]
  await page.mouse.up()
  return frames
}

const slowestOf = (times: readonly number[]): number =>
  [...times].sort((a, b) => a - b)[Math.floor(times.length * 0.95)] ?? 0

/** Processor time of the page's main thread so far, independent of other load. */
const busySeconds = async (cdp: CDPSession): Promise<number> => {
  const { metrics } = await cdp.send('Performance.getMetrics')
  return metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0
}

export const benchDrag = async (world: ConsoleWorld): Promise<void> => {
  const id = await givenLargeFlow(world)
  await world.visit(`/flows/${id}`, async (page) => {
    await page
      .locator('.react-flow__edge')
      .nth(nodes - 2)
      .waitFor({ state: 'attached' })
    await page.getByRole('button', { name: 'Fit View', exact: true }).click()
    await page.waitForTimeout(1_000)
    const cdp = await page.context().newCDPSession(page)
    await cdp.send('Performance.enable', { timeDomain: 'threadTicks' })
    for (const rate of [1, slower]) {
      const from = await grip(page)
      await cdp.send('Emulation.setCPUThrottlingRate', { rate })
      const busyBefore = await busySeconds(cdp)
      const frames = await dragAround(page, from)
      const busyMs = ((await busySeconds(cdp)) - busyBefore) * 1000
      await cdp.send('Emulation.setCPUThrottlingRate', { rate: 1 })
      await page.waitForTimeout(2_000)
      if ((await grip(page)).x === from.x) throw new Error('The node did not move')
      const seconds = frames.reduce((sum, { ms }) => sum + ms, 0) / 1000
      const perSecond = frames.length / seconds
      const steps = frames.filter(({ moved }) => moved).length
      const verdict = rate === slower ? `, aim ${aimFrames}: ${perSecond >= aimFrames ? 'held' : 'missed'}` : ''
      console.log(
        `drag in ${nodes} nodes, processor ${rate} times slower: ${perSecond.toFixed(0)} frames/s, 95 % within ` +
          `${slowestOf(frames.map(({ ms }) => ms)).toFixed(0)} ms, ${(steps / seconds).toFixed(0)} of them with a step, ` +
          `${(busyMs / steps).toFixed(1)} ms of the main thread each${verdict}`,
      )
    }
  })
}
