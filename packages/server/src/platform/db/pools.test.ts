// Guarantees: each kind of work has its own statement timeout, and slow queries of one workspace leave connections for
// others.
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createWorld, type World } from '../../testing/world.ts'
import { asKind, inWork, type WorkKind } from '../fairness/work.ts'
import { toFailure } from '../http/problem.ts'
import { statementLimitsMs } from './database.ts'
import { prepared } from './prepared.ts'

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world?.close())

const limitNow = prepared<readonly [], { limit: string }>(
  (_db) => sql<{ limit: string }>`select current_setting('statement_timeout') as limit`,
)

describe('pools', () => {
  it.each(Object.entries(statementLimitsMs) as [WorkKind, number][])(
    '%s has its statement timeout',
    async (kind, limitMs) => {
      const { db } = world.open.platform
      const shown = await inWork({ kind, tenant: null }, async () => [
        (await sql<{ limit: string }>`select current_setting('statement_timeout') as limit`.execute(db)).rows[0]?.limit,
        (await limitNow(db))[0]?.limit,
        await db.transaction().execute(async (trx) => (await limitNow(trx))[0]?.limit),
      ])
      const text = limitMs % 60_000 === 0 ? `${limitMs / 60_000}min` : `${limitMs / 1000}s`
      expect(shown).toEqual([text, text, text])
    },
  )

  it('the dispatcher uses generic plans and other work does not', async () => {
    const { db } = world.open.platform
    const modeIn = (kind: WorkKind) =>
      inWork({ kind, tenant: null }, async () => {
        const { rows } = await sql<{ mode: string }>`select current_setting('plan_cache_mode') as mode`.execute(db)
        return rows[0]?.mode
      })
    expect(await modeIn('dispatch')).toBe('force_generic_plan')
    expect(await modeIn('request')).toBe('auto')
  })

  it('a statement that took too long is `unavailable`', async () => {
    const failure = await world.open.platform.db
      .transaction()
      .execute(async (db) => {
        await sql`set local statement_timeout = 1`.execute(db)
        await sql`select pg_sleep(1)`.execute(db)
      })
      .catch(toFailure)
    expect(failure).toMatchObject({ code: 'unavailable', message: expect.stringContaining('request less data') })
  })

  it('slow queries of one workspace leave connections for another', async () => {
    const { db } = world.open.platform
    const release = 77_000_035
    // The slow queries wait for a lock that the test releases.
    const flood: Promise<unknown>[] = []
    await db.transaction().execute(async (holder) => {
      await sql`select pg_advisory_xact_lock(${release}::bigint)`.execute(holder)
      let ended = 0
      const ask = () => sql`select pg_advisory_xact_lock_shared(${release}::bigint)`.execute(db)
      for (let index = 0; index < 24; index += 1)
        flood.push(
          inWork({ kind: 'list', tenant: 'flooder' }, ask).finally(() => {
            ended += 1
          }),
        )
      const neighbour = Promise.all(
        Array.from({ length: 5 }, () =>
          inWork({ kind: 'request', tenant: 'neighbour' }, async () => {
            await sql`select 1`.execute(db)
            return asKind('list', () => sql`select 1`.execute(db))
          }),
        ),
      )
      expect(await neighbour).toHaveLength(5)
      expect(ended).toBe(0)
    })
    expect(await Promise.all(flood)).toHaveLength(24)
  })
})
