// Guarantees: old parts of the audit log are deleted only after they were verified; the rest is complete from the last
// seal on; no seal and no segment can be forged, changed or removed.
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { platformKeyTeam } from '#platform/keyring/keyring.ts'
import { rotateDataKey } from '#platform/keyring/rotation.ts'
import { recordAudit } from '#platform/tenancy/audit.ts'
import { createWorld, type World } from '../../testing/world.ts'
import { checkpointsFile, writeCheckpoint } from './audit-checkpoints.ts'
import { closeOldAudit } from './audit-segments.ts'
import { verifyAudit, verifyAuditOf } from './audit-verify.ts'

const day = 24 * 3600_000
const keptDays = 30

let world: World
const run = (text: string) => sql.raw(text).execute(world.open.platform.db)
const verify = () => verifyAudit(world.open.platform)
const appendRows = (count: number) =>
  sql`select audit_append('r' || gen_random_uuid(), ${world.clock.now().toISOString()}::timestamptz, ${world.team.id}, 'u', 'key',
    'k', 'a', 'r', 'i', '{}', '', '') from generate_series(1, ${count}::int) n`.execute(world.open.platform.db)
const seqs = async () => {
  const { rows } = await sql<{ first: number; last: number }>`
    select min(seq) as first, max(seq) as last from audit_log`.execute(world.open.platform.db)
  return rows[0]
}

beforeAll(async () => {
  world = await createWorld({ settings: { KEEP_AUDIT_DAYS: String(keptDays) } })
})
afterAll(() => world?.close())

it('old rows go in sealed stretches, and the log is whole before and after', async () => {
  await appendRows(1_500)
  world.clock.advance((keptDays - 1) * day)
  await appendRows(5)
  const whole = await seqs()
  await closeOldAudit(world.open.platform)
  expect(await seqs()).toEqual(whole)
  world.clock.advance(2 * day)
  await closeOldAudit(world.open.platform)
  const left = await seqs()
  expect(left).toEqual({ first: (whole?.last ?? 0) - 4, last: whole?.last })
  expect(await verify()).toEqual({ ok: true, rows: whole?.last, closed: (left?.first ?? 0) - 1 })
  const { rows } = await sql<{ count: number }>`select count(*)::int as count from audit_segments`.execute(
    world.open.platform.db,
  )
  expect(rows[0]?.count).toBeGreaterThan(1)
})

it('the log goes on after everything was closed', async () => {
  world.clock.advance(keptDays * day)
  await closeOldAudit(world.open.platform)
  expect((await seqs())?.first).toBeNull()
  expect(await verify()).toMatchObject({ ok: true })
  await recordAudit(world.ctx(), 'later', { resourceType: 'r', resourceId: 'i' })
  expect(await verify()).toMatchObject({ ok: true })
})

it('seals outlive the data key they were made with', async () => {
  await rotateDataKey(world.open, platformKeyTeam)
  expect(await verify()).toMatchObject({ ok: true })
})

describe('an attacker with write access to the database', () => {
  beforeAll(async () => {
    await appendRows(20)
    await run('create table log_copy as select * from audit_log')
    await run('create table segments_copy as select * from audit_segments')
    await run('create table head_copy as select * from audit_head')
  })
  beforeEach(async () => {
    await run('truncate audit_log, audit_segments, audit_head')
    await run('insert into audit_log select * from log_copy')
    await run('insert into audit_segments select * from segments_copy')
    await run('insert into audit_head select * from head_copy')
  })

  type Case = [claim: string, tamper: string, reason: string]
  const cases: Case[] = [
    ['takes a seal away', 'delete from audit_segments where from_seq = 1', 'missing'],
    [
      'takes the last seal away',
      'delete from audit_segments where to_seq = (select max(to_seq) from audit_segments)',
      'missing',
    ],
    [
      'changes what a seal says',
      `update audit_segments set hash = repeat('0', 64) where from_seq = 1`,
      'forged_segment',
    ],
    [
      'changes when it was',
      `update audit_segments set last_at = last_at + interval '1 day' where from_seq = 1`,
      'forged_segment',
    ],
    [
      'deletes a row and says it was closed, with the seal of another stretch',
      `insert into audit_segments select a.seq, a.seq, a.previous_hash, a.hash, a.created_at, a.created_at, s.seal_sealed, now()
        from audit_log a, audit_segments s where a.seq = (select min(seq) from audit_log) and s.from_seq = 1;
       delete from audit_log where seq = (select min(seq) from audit_log)`,
      'forged_segment',
    ],
    [
      'puts a row among those that were closed',
      'update audit_log set seq = 2 where seq = (select min(seq) from audit_log)',
      'unexpected',
    ],
  ]
  it.each(cases)('%s', async (_claim, tamper, reason) => {
    expect(await verify()).toMatchObject({ ok: true })
    await run(tamper)
    expect(await verify()).toMatchObject({ ok: false, reason })
  })

  it('cannot have the log deleted that shows it', async () => {
    const before = await seqs()
    await run('update audit_log set ip = $$elsewhere$$ where seq = (select min(seq) from audit_log)')
    world.clock.advance(2 * keptDays * day)
    await closeOldAudit(world.open.platform)
    expect(await seqs()).toEqual(before)
    expect(await verify()).toMatchObject({ ok: false, reason: 'edited' })
  })

  it('cannot wait until a log written anew is closed: a witness has seen the other one', async () => {
    const { platform } = world.open
    await writeCheckpoint(platform, checkpointsFile(platform.settings.DATA_DIR), undefined)
    await run(`delete from audit_log where seq = (select max(seq) from audit_log);
      update audit_head set seq = (select max(seq) from audit_log), hash = (select hash from audit_log order by seq desc limit 1)`)
    await recordAudit(world.ctx(), 'instead', { resourceType: 'r', resourceId: 'i' })
    world.clock.advance(2 * keptDays * day)
    const before = await seqs()
    await closeOldAudit(platform)
    expect(await seqs()).toEqual(before)
    expect(await verifyAuditOf(platform)).toMatchObject({ ok: false, reason: 'rewritten' })
  })
})
