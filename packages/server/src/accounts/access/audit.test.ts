// Guarantees: admins read the audit log of their own workspace only; a row that was edited, deleted, moved, invented or
// cut off in the database is detected, and the first such row is named.
import { appendFile, readFile, rm, writeFile } from 'node:fs/promises'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { recordAudit } from '#platform/tenancy/audit.ts'
import { scenarios } from '../../testing/scenarios.ts'
import { createWorld, type World } from '../../testing/world.ts'
import {
  type Checkpoint,
  checkpointsFile,
  readCheckpoints,
  startCheckpoints,
  writeCheckpoint,
} from './audit-checkpoints.ts'
import { verifyAudit, verifyAuditOf } from './audit-verify.ts'

const givenKey = (world: World) => {
  world.clock.advance(1)
  return world.call('member', 'POST /apikeys', { body: { name: 'laptop' } })
}

scenarios('audit.list', givenKey, [
  {
    claim: 'an admin reads who did what, newest first, without the place in the chain',
    as: 'admin',
    headers: { 'user-agent': 'cli/1.0' },
    status: 200,
    check: ({ data }, given, world) => {
      const { id, ...entry } = data.items[0]
      expect(id).toMatch(/^[0-9a-hjkmnp-tv-z]{26}$/)
      expect(entry).toEqual({
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/),
        team_id: world.team.id,
        actor_user_id: world.people.member.userId,
        actor_kind: 'session',
        actor_id: expect.any(String),
        action: 'api_key.created',
        resource_type: 'api_key',
        resource_id: given.data.id,
        meta: { name: 'laptop', scope: 'user', scopes: [], source: '', expires_at: null },
        ip: '127.0.0.1',
        user_agent: expect.any(String),
        hash: expect.stringMatching(/^[0-9a-f]{64}$/),
        previous_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      })
    },
  },
  {
    claim: 'the POST twin filters by action',
    as: 'owner',
    route: 'POST /audit-log/list',
    body: { filters: [{ field: 'action', operator: 'eq', value: 'team.created' }], fields: ['action'] },
    status: 200,
    check: ({ data }) => {
      expect(data.total_items).toBe(1)
      expect(Object.keys(data.items[0]).sort()).toEqual(['action', 'id'])
    },
  },
  {
    claim: 'another workspace’s admin sees none of it',
    as: 'stranger',
    status: 200,
    check: ({ data }, _given, world) =>
      expect(data.items.every((item: { team_id: string }) => item.team_id === world.otherTeam.id)).toBe(true),
  },
  { claim: 'an admin’s key with the scope', as: 'admin-key:teams:read', status: 200 },
  {
    claim: 'an unknown column',
    as: 'owner',
    query: { sort: '[{"field":"seq"}]' },
    status: 400,
    code: 'validation_error',
  },
  { claim: 'a plain member', as: 'member', status: 403, code: 'team_role_required' },
  { claim: 'a workspace key', as: 'workspace-key:teams:read', status: 403, code: 'team_role_required' },
])

describe('the chain', () => {
  let world: World
  let lastSeq: number
  const run = (text: string) => sql.raw(text).execute(world.open.platform.db)
  const verify = () => verifyAudit(world.open.platform)
  const idAt = async (seq: number) =>
    (await world.open.platform.db.selectFrom('audit_log').select('id').where('seq', '=', seq).executeTakeFirstOrThrow())
      .id

  beforeAll(async () => {
    world = await createWorld()
    const ctx = world.ctx()
    const awkward = ['"quoted"', 'back\\slash', 'tab\tline\nbell\u0007 del\u007f', 'ünïcödé 🦦 \u2028', '']
    for (const text of awkward)
      await recordAudit(ctx, text, {
        resourceType: text,
        resourceId: text,
        meta: { [text]: [text, 1.1, 1e21, -0, 12345678901234, null, true, { b: 1, a: [] }] },
      })
    // More than one page of rows.
    for (let count = 0; count < 60; count += 1)
      await sql`select audit_append('row ' || ${count * 20} || ' ' || n, now(), 't', 'u', 'key', 'k', 'a', 'r', 'i', '{}', '', '')
        from generate_series(1, 20) n`.execute(ctx.db)
    await run('create table log_copy as select * from audit_log')
    await run('create table head_copy as select * from audit_head')
    const head = await ctx.db.selectFrom('audit_head').select('seq').executeTakeFirstOrThrow()
    lastSeq = head.seq
  })
  afterAll(() => world?.close())

  beforeEach(async () => {
    await run('truncate audit_log, audit_head')
    await run('insert into audit_log select * from log_copy')
    await run('insert into audit_head select * from head_copy')
  })

  it('as it was written is whole, whatever the texts hold', async () => {
    expect(lastSeq).toBeGreaterThan(1200)
    expect(await verify()).toEqual({ ok: true, rows: lastSeq, closed: 0 })
  })

  it('an empty log is whole', async () => {
    await run("truncate audit_log; update audit_head set seq = 0, hash = ''")
    expect(await verify()).toEqual({ ok: true, rows: 0, closed: 0 })
  })

  type Case = [claim: string, tamper: string, at: number, reason: string, named: boolean]
  const cases: Case[] = [
    ['an edited text', "update audit_log set action = 'x' where seq = 3", 3, 'edited', true],
    [
      'an edited time',
      "update audit_log set created_at = created_at + interval '1 microsecond' where seq = 4",
      4,
      'edited',
      true,
    ],
    ['edited details', `update audit_log set meta = '{"a": 1}' where seq = 1100`, 1100, 'edited', true],
    ['an edited address', "update audit_log set ip = '192.0.2.1' where seq = 1", 1, 'edited', true],
    ['an edited hash', `update audit_log set hash = repeat('0', 64) where seq = 5`, 5, 'edited', true],
    ['two edits: the first is named', "update audit_log set ip = 'x' where seq in (700, 6)", 6, 'edited', true],
    [
      'an edited row sealed again',
      "update audit_log set action = 'x' where seq = 3; update audit_log a set hash = audit_hash(a) where seq = 3",
      4,
      'out_of_place',
      true,
    ],
    ['a deleted row', 'delete from audit_log where seq = 1000', 1000, 'missing', false],
    ['the first row deleted', 'delete from audit_log where seq = 1', 1, 'missing', false],
    [
      'two rows swapped',
      'update audit_log set seq = -1 where seq = 7; update audit_log set seq = 7 where seq = 8; update audit_log set seq = 8 where seq = -1',
      7,
      'edited',
      true,
    ],
    [
      'a deleted row with the rest moved up',
      'delete from audit_log where seq = 9; update audit_log set seq = seq - 1 + 100000 where seq > 9; update audit_log set seq = seq - 100000 where seq > 100000',
      9,
      'edited',
      true,
    ],
    [
      'a row put in front',
      'insert into audit_log select 0, $$new$$, created_at, team_id, actor_user_id, actor_kind, actor_id, action, resource_type, resource_id, meta, ip, user_agent, previous_hash, hash from audit_log where seq = 1',
      0,
      'unexpected',
      true,
    ],
  ]
  it.each(cases)('%s', async (_claim, tamper, seq, reason, named) => {
    await run(tamper)
    expect(await verify()).toEqual({
      ok: false,
      rows: Math.max(0, seq - 1),
      seq,
      reason,
      id: named ? await idAt(seq) : null,
    })
  })

  it('rows cut off the end', async () => {
    await sql`delete from audit_log where seq > ${lastSeq - 2}`.execute(world.open.platform.db)
    expect(await verify()).toEqual({ ok: false, rows: lastSeq - 2, seq: lastSeq - 1, id: null, reason: 'missing' })
  })

  describe('with witnesses outside the database', () => {
    const file = () => checkpointsFile(world.open.platform.settings.DATA_DIR)
    const witness = (last?: Checkpoint) => writeCheckpoint(world.open.platform, file(), last)
    const verifyAll = () => verifyAuditOf(world.open.platform)
    beforeEach(() => rm(file(), { force: true }))

    it('a log that goes through all of them is whole', async () => {
      const first = await witness()
      await recordAudit(world.ctx(), 'later', { resourceType: 'r', resourceId: 'i' })
      await witness(first)
      expect(await readCheckpoints(file())).toHaveLength(2)
      expect(await verifyAll()).toEqual({ ok: true, rows: lastSeq + 1, closed: 0 })
    })

    it('nothing new makes no witness', async () => {
      await witness(await witness())
      expect(await readCheckpoints(file())).toHaveLength(1)
    })

    it('rows cut off the end together with the head are missed', async () => {
      await witness()
      await run(`delete from audit_log where seq > ${lastSeq - 2};
        update audit_head set seq = ${lastSeq - 2}, hash = (select hash from audit_log where seq = ${lastSeq - 2})`)
      expect(await verify()).toMatchObject({ ok: true })
      expect(await verifyAll()).toEqual({ ok: false, rows: lastSeq - 2, seq: lastSeq - 1, id: null, reason: 'missing' })
    })

    it('a log written anew from some row on is noticed', async () => {
      await witness()
      await run(`delete from audit_log where seq = ${lastSeq};
        update audit_head set seq = ${lastSeq - 1}, hash = (select hash from audit_log where seq = ${lastSeq - 1})`)
      await recordAudit(world.ctx(), 'instead', { resourceType: 'r', resourceId: 'i' })
      expect(await verify()).toMatchObject({ ok: true })
      expect(await verifyAll()).toMatchObject({ ok: false, seq: lastSeq, reason: 'rewritten' })
    })

    it('a witness that was changed to agree is forged', async () => {
      await witness()
      await writeFile(file(), (await readFile(file(), 'utf8')).replace(`"seq":${lastSeq}`, `"seq":${lastSeq - 1}`))
      expect(await verifyAll()).toMatchObject({ ok: false, seq: 1, reason: 'forged_checkpoint' })
    })

    it('an orderly stop leaves one', async () => {
      const stop = await startCheckpoints(world.open.platform)
      await stop()
      expect(await readCheckpoints(file())).toMatchObject([{ seq: lastSeq }])
    })

    it('a line that a crash cut short counts for nothing', async () => {
      await witness()
      await appendFile(file(), '{"seq":99')
      expect(await verifyAll()).toEqual({ ok: true, rows: lastSeq, closed: 0 })
    })
  })

  it('the whole log cut off', async () => {
    await run('truncate audit_log')
    expect(await verify()).toMatchObject({ ok: false, seq: 1, reason: 'missing' })
  })

  it('a newest row edited and sealed again does not fit its witness', async () => {
    const { db } = world.open.platform
    await sql`update audit_log set action = 'x' where seq = ${lastSeq}`.execute(db)
    await sql`update audit_log a set hash = audit_hash(a) where seq = ${lastSeq}`.execute(db)
    expect(await verify()).toMatchObject({ ok: false, seq: lastSeq, id: await idAt(lastSeq), reason: 'edited' })
  })

  it('a row appended past its witness', async () => {
    const { db } = world.open.platform
    await sql`insert into audit_log select l.seq + 1, 'forged', l.created_at, l.team_id, l.actor_user_id, l.actor_kind, l.actor_id,
      'x', l.resource_type, l.resource_id, l.meta, l.ip, l.user_agent, l.hash, '' from audit_log l where seq = ${lastSeq}`.execute(
      db,
    )
    await sql`update audit_log a set hash = audit_hash(a) where seq = ${lastSeq + 1}`.execute(db)
    expect(await verify()).toMatchObject({ ok: false, seq: lastSeq + 1, id: 'forged', reason: 'unexpected' })
  })

  it('a lost witness', async () => {
    await run('truncate audit_head')
    expect(await verify()).toMatchObject({ ok: false, seq: lastSeq + 1, reason: 'missing' })
  })

  it('a database function that lies about hashes changes nothing', async () => {
    await run("update audit_log set action = 'x' where seq = 3")
    await run(
      `create or replace function audit_hash(entry audit_log) returns text language sql immutable as $$ select entry.hash $$`,
    )
    expect(await verify()).toMatchObject({ ok: false, seq: 3, reason: 'edited' })
  })
})

it('writers at the same time make one chain', async () => {
  const world = await createWorld()
  await Promise.all(
    Array.from({ length: 30 }, (_, index) =>
      world.ctx().tx((ctx) => recordAudit(ctx, `at once ${index}`, { resourceType: 'r', resourceId: 'i' })),
    ),
  )
  expect(await verifyAudit(world.open.platform)).toMatchObject({ ok: true })
  await world.close()
})
