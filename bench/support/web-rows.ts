// A list of ten thousand runs: time until its last row is shown, compared with loading all pages; time to scroll
// through all rows screen by screen, unfiltered and filtered; and the memory afterwards.
import type { CDPSession, Page } from 'playwright-core'
import type { ConsoleWorld } from '../../e2e/support/console.ts'
import { givenManyRuns } from '../../e2e/support/many-runs.ts'

export const rows = 10_000
const rowHeight = 40

export const megabytesHeld = async (cdp: CDPSession): Promise<number> => {
  await cdp.send('HeapProfiler.collectGarbage')
  const { metrics } = await cdp.send('Performance.getMetrics')
  return (metrics.find(({ name }) => name === 'JSHeapUsedSize')?.value ?? 0) / 1e6
}

const secondsOf = async (work: () => Promise<unknown>): Promise<number> => {
  const startedMs = performance.now()
  await work()
  return (performance.now() - startedMs) / 1000
}

/** The reference: loading the list from cursor to cursor, fifty rows each. */
const pageAfterPage = (page: Page): Promise<unknown> =>
  page.evaluate(async () => {
    for (let cursor = '', more = true; more; ) {
      const answer = await fetch('/tasks/list', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          limit: 50,
          sort: [{ field: 'created_at', dir: 'desc' }],
          ...(cursor ? { cursor } : {}),
        }),
      })
      const { data } = (await answer.json()) as { data: { next_cursor: string; has_next: boolean } }
      cursor = data.next_cursor
      more = data.has_next
    }
  })

/** Scrolls the row to the top and waits until all visible rows are loaded. */
const showRow = (page: Page, row: number): Promise<unknown> =>
  page.getByRole('table', { name: 'Runs', exact: true }).evaluate(async (table, top) => {
    const frame = () => new Promise((resolve) => setTimeout(resolve, 16))
    table.scrollTop = top
    await frame()
    await frame()
    while (table.querySelector('[role=row][aria-busy]')) await frame()
  }, row * rowHeight)

/** Scrolls down to the last row, screen by screen. */
const walkAll = (page: Page, count: number, screen: number): Promise<number> =>
  secondsOf(async () => {
    for (let row = 0; row < count; row += screen) await showRow(page, row)
    await showRow(page, count)
    await page.locator(`[aria-rowindex="${count + 1}"]:not([aria-busy])`).waitFor()
  })

/** Sets a filter, waits for its first rows, and scrolls to its last. */
const walkFiltered = async (page: Page, screen: number): Promise<string> => {
  const table = page.getByRole('table', { name: 'Runs', exact: true })
  const shown = await secondsOf(async () => {
    await page.getByRole('button', { name: 'failed', exact: true }).click()
    await page.locator(`[role=table][aria-label=Runs][aria-rowcount="${rows / 2}"]`).waitFor()
    await page.locator('[aria-rowindex="2"]:not([aria-busy])').waitFor()
  })
  const top = await table.evaluate(({ scrollTop }) => scrollTop)
  const walk = await walkAll(page, rows / 2, screen)
  return `filtered by status after ${shown.toFixed(2)} s, at row ${Math.round(top / rowHeight) + 1}; scrolled its ${rows / 2} rows in ${walk.toFixed(1)} s`
}

export const benchRows = async (world: ConsoleWorld): Promise<void> => {
  await givenManyRuns(world, rows)
  await world.visit('/runs', async (page) => {
    const cdp = await page.context().newCDPSession(page)
    await cdp.send('Performance.enable', { timeDomain: 'threadTicks' })
    await page.getByRole('row').nth(10).waitFor()
    const before = await megabytesHeld(cdp)
    const reference = await secondsOf(() => pageAfterPage(page))
    const jump = await secondsOf(async () => {
      await showRow(page, rows)
      await page.locator(`[aria-rowindex="${rows + 1}"]:not([aria-busy])`).waitFor()
    })
    const inDocument = await page.locator('[aria-rowindex]').count()
    const table = await page.getByRole('table', { name: 'Runs', exact: true }).boundingBox()
    const screen = Math.floor((table?.height ?? 0) / rowHeight) - 1
    const walk = await walkAll(page, rows, screen)
    const after = await megabytesHeld(cdp)
    console.log(
      `${rows} runs: the last row is shown ${jump.toFixed(2)} s after the scroll bar was dragged to the end; loading page after ` +
        `page takes ${reference.toFixed(1)} s, ${(reference / jump).toFixed(0)} times as long`,
    )
    console.log(
      `scrolled from first to last in screens of ${screen} rows: ${walk.toFixed(1)} s; ${inDocument} rows in the document; ` +
        `memory ${before.toFixed(1)} MB with the first page, ${after.toFixed(1)} MB with all`,
    )
    console.log(await walkFiltered(page, screen))
  })
}
