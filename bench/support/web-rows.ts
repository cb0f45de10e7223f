// A list of ten thousand runs, scrolled from its first row to its last: how long that takes, and what it leaves in memory.
import pg from 'pg'
import type { CDPSession, Page } from 'playwright-core'
import type { ConsoleWorld } from '../../e2e/support/console.ts'
import { findRunningPostgres } from '../../packages/server/src/db/embedded/postgres.ts'

const rows = 10_000

type Owner = { team: { id: string }; user: { id: string } }

const fill = async (world: ConsoleWorld): Promise<void> => {
  const { team, user } = (await world.call('GET', '/me')) as Owner
  const running = await findRunningPostgres(world.server.dataDir)
  const client = new pg.Client({ connectionString: running?.connectionString })
  await client.connect()
  await client.query(
    `insert into tasks (id, team_id, user_id, visibility, status, created_at)
     select lpad(n::text, 26, '0'), $1, $2, 'team', 10, now() - n * interval '1 second' from generate_series(1, ${rows}) n`,
    [team.id, user.id],
  )
  await client.query('analyze tasks')
  await client.end()
}

const megabytesHeld = async (cdp: CDPSession): Promise<number> => {
  await cdp.send('HeapProfiler.collectGarbage')
  const { metrics } = await cdp.send('Performance.getMetrics')
  return (metrics.find(({ name }) => name === 'JSHeapUsedSize')?.value ?? 0) / 1e6
}

type Scrolled = { loaded: number; inDocument: number; total: number }

/** To the end of what is loaded, again and again, until the last row is there. */
const scrollToEnd = async (page: Page): Promise<Scrolled> => {
  const table = page.getByRole('table', { name: 'Runs' })
  for (;;) {
    const seen = await table.evaluate((element) => {
      element.scrollTop = element.scrollHeight
      const shown = [...element.querySelectorAll('[aria-rowindex]')]
      return {
        loaded: Math.max(0, ...shown.map((row) => Number(row.getAttribute('aria-rowindex')) - 1)),
        inDocument: shown.length,
        total: Number(element.getAttribute('aria-rowcount')),
      }
    })
    if (seen.loaded >= seen.total) return seen
    await page.waitForTimeout(20)
  }
}

export const benchRows = async (world: ConsoleWorld): Promise<void> => {
  await fill(world)
  await world.visit('/runs', async (page) => {
    const cdp = await page.context().newCDPSession(page)
    await cdp.send('Performance.enable', { timeDomain: 'threadTicks' })
    await page.getByRole('row').nth(10).waitFor()
    const before = await megabytesHeld(cdp)
    const startedMs = performance.now()
    const { inDocument, total } = await scrollToEnd(page)
    const seconds = ((performance.now() - startedMs) / 1000).toFixed(1)
    const after = await megabytesHeld(cdp)
    console.log(
      `${total} runs scrolled to the last in ${seconds} s, ${inDocument} rows in the document; ` +
        `memory ${before.toFixed(1)} MB with the first page, ${after.toFixed(1)} MB with all`,
    )
  })
}
