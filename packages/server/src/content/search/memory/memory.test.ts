// Guarantees: the memory of each server follows the rows: new, rewritten, hidden, shown and deleted rows, from any
// server and in any order of commits. A server that starts or was away for long loads the current rows. A server with
// too little memory searches the rows by words and reports that.
import { newId } from '@millrace/contract/ids'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Platform } from '#platform/core/ctx.ts'
import { openReplica, type Replica } from '../../../testing/replica.ts'
import { createWorld, type World } from '../../../testing/world.ts'
import { givenEntry, show, text, writeVersion } from '../../knowledge/testing/given.ts'
import { audienceOf } from '../access.ts'
import { embedderOf } from '../embedding/server-embedder.ts'
import { quantised } from '../embedding/vectors.ts'
import { saveVectors } from '../embedding/vectors-store.ts'
import { find } from '../find.ts'
import { freshMemory, openMemory } from './memory.ts'
import { deleteChanges, findChanges, findRowsAfter } from './memory-store.ts'

let world: World
let replica: Replica
beforeAll(async () => {
  world = await createWorld()
  replica = await openReplica(world)
})
afterAll(async () => {
  await replica?.close()
  await world?.close()
})

const randomVector = (): Float32Array => Float32Array.from({ length: 512 }, () => Math.random() * 2 - 1)
const model = (): string => embedderOf(world.open.platform).model

/** Writes a vector without the model, as the background job would. */
const giveVector = (id: string, db = world.open.platform.db) =>
  saveVectors(db, model(), [{ id, meaning_hash: 'made', components: quantised(randomVector()) }])

const entryOfOwner = async () => {
  const entry = await givenEntry(world, 'owner', {})
  await giveVector(entry.id)
  return entry
}

/** Compares the memory of a server with the rows. */
const expectAgreement = async (platform: Platform): Promise<void> => {
  const memory = await freshMemory(platform)
  const rows = await findRowsAfter(platform.db, { model: model(), length: 512 }, '', 10_000)
  expect(await memory.size()).toMatchObject({
    documents: rows.length,
    vectors: rows.filter(({ components }) => components !== null).length,
  })
  for (const row of rows) {
    const words: string[] = JSON.parse(row.words)
    const heads: string[] = JSON.parse(row.heads)
    const { ids, hits, cosines, shown, known } = await memory.find({
      audiences: new Map([[row.kind, [audienceOf(row)]]]),
      asked: {
        words: words.slice(0, 30).map((word) => ({ word, inHead: 1, elsewhere: 1 })),
        beginning: null,
        limit: rows.length,
        enough: rows.length,
      },
      vector: row.components && Float32Array.from(new Int8Array(row.components)),
      unrelated: -1,
    })
    const place = ids.indexOf(row.id)
    if (words.length > 0 || row.components) expect(place).toBeGreaterThanOrEqual(0)
    if (words.length > 0) expect(hits[place]).toEqual(words.slice(0, 30).map((word) => (heads.includes(word) ? 2 : 1)))
    if (row.components) expect(cosines[place]).toBeCloseTo(1, 5)
    if (place >= 0) expect(JSON.parse(shown)[place]).toEqual(JSON.parse(row.shown))
    expect(known).not.toContain(false)
  }
}
const expectBothAgree = async (): Promise<void> => {
  await expectAgreement(world.open.platform)
  await expectAgreement(replica.open.platform)
}

it('every change of a row is in the memory of every server after the next poll', async () => {
  const entries = [await entryOfOwner(), await entryOfOwner(), await entryOfOwner()] as const
  await expectBothAgree()
  await giveVector(entries[0].id)
  await expectBothAgree()
  await writeVersion(world, 'owner', entries[0].id, { description: 'Quinces and pears', ...text('They are boiled.') })
  await expectBothAgree()
  for (const visibility of ['public', 'unlisted', 'org', 'private']) {
    await show(world, 'owner', entries[1], visibility)
    await expectBothAgree()
  }
  await world.call('owner', `DELETE /knowledge/${entries[2].id}`)
  await expectBothAgree()
  await entryOfOwner()
  await giveVector(entries[0].id, replica.open.platform.db)
  await expectBothAgree()
})

it('results show the current row, also if no word changed', async () => {
  const entry = await givenEntry(world, 'owner', { description: 'Medlars, bletted' })
  const shown = async () => {
    const { data } = await world.call('owner', 'POST /search', { body: { query: 'medlars' } })
    return data.results.find((hit: { id: string }) => hit.id === entry.id)
  }
  expect((await shown()).fields.description).toBe('Medlars, bletted')
  await writeVersion(world, 'owner', entry.id, { description: 'MEDLARS (bletted)' })
  expect((await shown()).fields.description).toBe('MEDLARS (bletted)')
  await sql`update search_documents set confirmed_at = ${'2020-01-01T00:00:00Z'} where id = ${entry.id}`.execute(
    world.open.platform.db,
  )
  const faded = (await shown()).score
  await sql`update search_documents set confirmed_at = ${world.clock.now().toISOString()} where id = ${entry.id}`.execute(
    world.open.platform.db,
  )
  expect((await shown()).score).toBeGreaterThan(faded)
  await expectBothAgree()
})

it('a transaction that began before others and ends after them is not missed, and a rolled back one leaves nothing', async () => {
  const [late, early, undone] = [await entryOfOwner(), await entryOfOwner(), await entryOfOwner()]
  await expectBothAgree()
  const ended = world.open.platform.db.transaction().execute(async (tx) => {
    await giveVector(late.id, tx)
    // While this transaction is open, others end and both servers poll.
    await giveVector(early.id)
    await show(world, 'owner', early, 'public')
    await expectBothAgree()
    await giveVector(early.id)
    await expectBothAgree()
  })
  await ended
  await expectBothAgree()
  await world.open.platform.db
    .transaction()
    .execute(async (tx) => {
      await sql`delete from search_documents where id = ${undone.id}`.execute(tx)
      await expectBothAgree()
      throw new Error('undone')
    })
    .catch(() => undefined)
  await expectBothAgree()
})

it('a server that starts, and one that was away longer than the log is retained, load the current rows', async () => {
  const { db } = world.open.platform
  await expectAgreement(world.open.platform)
  const entry = await entryOfOwner()
  await show(world, 'owner', entry, 'public')
  await deleteChanges(db, new Date(Date.now() + 86_400_000).toISOString())
  world.clock.advance(4 * 3_600_000)
  await expectAgreement(world.open.platform)
  const started = await openReplica(world)
  try {
    await expectAgreement(started.open.platform)
  } finally {
    await started.close()
  }
})

it('many rows are loaded in batches while more are written', async () => {
  const { db } = world.open.platform
  const ids = Array.from({ length: 700 }, () => newId())
  await sql`insert into pages (id, namespace, name, title, description, body, published, updated_at)
    select id, 'test', id, '', '', '', true, now() from unnest(${sql.val(ids)}::text[]) as given (id)`.execute(db)
  const vectors = ids.map((id) => ({ id, meaning_hash: 'made', components: quantised(randomVector()) }))
  await saveVectors(db, model(), vectors.slice(0, 550))
  const fresh = await openReplica(world)
  try {
    await Promise.all([freshMemory(fresh.open.platform), saveVectors(db, model(), vectors.slice(550))])
    await expectAgreement(fresh.open.platform)
    await expectBothAgree()
  } finally {
    await fresh.close()
  }
  await sql`delete from pages where id = any(${sql.val(ids)}::text[])`.execute(db)
  await expectBothAgree()
})

it('a large index runs on a thread, follows the rows, and is reloaded once it has grown', async () => {
  const started = await openReplica(world)
  const { platform } = started.open
  // Limits for the event loop: none, the current number, and later twice that number and one.
  const closeThread = openMemory(platform, 0)
  try {
    const entry = await entryOfOwner()
    await expectAgreement(platform)
    await giveVector(entry.id)
    await show(world, 'owner', entry, 'public')
    await expectAgreement(platform)
    await world.call('owner', `DELETE /knowledge/${entry.id}`)
    await expectAgreement(platform)
    const onThread = await freshMemory(platform)
    expect(await freshMemory(platform)).toBe(onThread)
    await closeThread()
    await expect(onThread.size()).rejects.toThrow('closed')
    const { documents } = await (await freshMemory(world.open.platform)).size()
    const closeGrown = openMemory(platform, documents)
    const here = await freshMemory(platform)
    const ids = Array.from({ length: documents + 1 }, () => newId())
    await sql`insert into pages (id, namespace, name, title, description, body, published, updated_at)
      select id, 'test', id, '', '', '', true, now() from unnest(${sql.val(ids)}::text[]) as given (id)`.execute(
      platform.db,
    )
    expect(await freshMemory(platform)).not.toBe(here)
    await expectAgreement(platform)
    await sql`delete from pages where id = any(${sql.val(ids)}::text[])`.execute(platform.db)
    await expectAgreement(platform)
    await closeGrown()
  } finally {
    await started.close()
  }
})

it('another database server, whose log may be incomplete, causes a full reload', async () => {
  const started = await openReplica(world)
  const { db } = started.open.platform
  let takenOver = false
  const platform = {
    ...started.open.platform,
    db: db.withPlugin({
      transformQuery: ({ node }) => node,
      transformResult: async ({ result }) =>
        takenOver
          ? { ...result, rows: result.rows.map((row) => ('life' in row ? { ...row, life: 'of another' } : row)) }
          : result,
    }),
  }
  const close = openMemory(platform)
  try {
    const entry = await entryOfOwner()
    await show(world, 'owner', entry, 'public')
    await expectAgreement(platform)
    await show(world, 'owner', entry, 'private')
    await sql`delete from search_changes`.execute(db)
    const before = await freshMemory(platform)
    takenOver = true
    await expectAgreement(platform)
    expect(await freshMemory(platform)).not.toBe(before)
    expect(await freshMemory(platform)).toBe(await freshMemory(platform))
  } finally {
    await close()
    await started.close()
  }
})

it('polling a long log reads only new entries, whatever the plan was made for', async () => {
  const { db } = world.open.platform
  await sql`insert into search_changes (id, transaction) select 'old', 1 from generate_series(1, 20000)`.execute(db)
  await sql`analyze search_changes`.execute(db)
  const { horizon } = await findChanges(db, 2, 1)
  const [before, after] = await db.transaction().execute(async (tx) => {
    const rowsRead = async (): Promise<number> => {
      const { rows } = await sql<{ read: number }>`
        select seq_tup_read as read from pg_stat_xact_user_tables where relname = 'search_changes'`.execute(tx)
      return rows[0]?.read ?? 0
    }
    await sql`set local plan_cache_mode = force_generic_plan`.execute(tx)
    const before = await rowsRead()
    await findChanges(tx, horizon, 100)
    return [before, await rowsRead()]
  })
  await sql`delete from search_changes where id = 'old'`.execute(db)
  expect(after).toBe(before)
})

it('a query that no document matches completely needs no statement except the poll of the log', async () => {
  const quinces = await givenEntry(world, 'owner', { description: 'quinces' })
  const marmalade = await givenEntry(world, 'owner', { description: 'marmalade' })
  for (const entry of [quinces, marmalade]) await show(world, 'owner', entry, 'public')
  let statements = 0
  const counted = world.open.platform.db.withPlugin({
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      statements += 1
      return result
    },
  })
  const ask = () =>
    find({ ...world.ctx(), db: counted }, { query: 'marmalade quinces', kinds: ['knowledge'], limit: 20 })
  // Caches the lexemes of the words.
  await ask()
  statements = 0
  expect(new Set((await ask()).map(({ id }) => id))).toEqual(new Set([quinces.id, marmalade.id]))
  expect(statements).toBe(0)
})

it('vectors that do not fit in memory are not compared, and the answer says so', async () => {
  const small = await createWorld({ settings: { SEARCH_MEMORY_MB: '16' } })
  try {
    const { db } = small.open.platform
    await sql`insert into search_vectors (id, model, components)
      select 'none ' || number, ${model()}, '\\x00' from generate_series(1, 25000) as number`.execute(db)
    const entry = await givenEntry(small, 'owner', { name: 'marmalade', description: 'quinces' })
    for (const query of ['quinces', 'boiled quinces', 'quinces marmelade', 'quin']) {
      const { data, json } = await small.call('owner', 'POST /search', { body: { query } })
      const found = data.results.map((hit: { id: string }) => hit.id)
      // A prefix that is in no name has no score of its own.
      expect(found, query).toEqual(query === 'quin' ? [] : [entry.id])
      expect(json.messages).toMatchObject([{ code: 'semantic_unavailable' }])
    }
    const { data } = await small.call('stranger', 'POST /search', { body: { query: 'quinces' } })
    expect(data.results).toEqual([])
  } finally {
    await small.close()
  }
})
