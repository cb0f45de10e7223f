// SQL of knowledge entries. Rows include the organization of the owning team, which visibility checks need.
import { type InferResult, type Insertable, sql, type Updateable } from 'kysely'
import { lockedOrAlone } from '#platform/db/alone.ts'
import type { Db } from '#platform/db/database.ts'
import { idMatches } from '#platform/db/ids.ts'
import type { Database } from '#platform/db/schema.gen.ts'
import { movedColumns, type TeamMove } from '#platform/tenancy/named-rows.ts'
import { defaultVisibility, teamOrg } from '#platform/tenancy/visibility.ts'

const entryColumns = [
  'knowledge.id',
  'knowledge.team_id',
  'knowledge.user_id',
  'knowledge.visibility',
  'knowledge.namespace',
  'knowledge.name',
  'knowledge.title',
  'knowledge.description',
  'knowledge.type',
  'knowledge.lifecycle',
  'knowledge.version_id',
  'knowledge.content_hash',
  'knowledge.repo_url',
  'knowledge.category',
  'knowledge.parent_id',
  'knowledge.parent_version_id',
  'knowledge.uses',
  'knowledge.installs',
  'knowledge.created_at',
  'knowledge.updated_at',
  'knowledge.deleted_at',
] as const

/** All entries that are not deleted; the caller adds conditions. */
export const selectEntries = (db: Db) =>
  db.selectFrom('knowledge').select(entryColumns).select(teamOrg('knowledge')).where('knowledge.deleted_at', 'is', null)

export type EntryRow = InferResult<ReturnType<typeof selectEntries>>[number]

/** By full or short id; none if two entries share the short id. */
export const findEntry = async (db: Db, id: string): Promise<EntryRow | undefined> => {
  const rows = await selectEntries(db).where(idMatches('knowledge.id', id)).limit(2).execute()
  return rows.length === 1 ? rows[0] : undefined
}

export const findEntryByRef = (db: Db, namespace: string, name: string): Promise<EntryRow | undefined> =>
  selectEntries(db)
    .where('knowledge.namespace', '=', namespace)
    .where('knowledge.name', '=', name)
    .limit(1)
    .executeTakeFirst()

export const lockEntry = async (db: Db, id: string): Promise<EntryRow | undefined> => {
  const rows = await selectEntries(db).where(idMatches('knowledge.id', id)).limit(2).forUpdate('knowledge').execute()
  return rows.length === 1 ? rows[0] : undefined
}

/** Waits for a concurrent transaction that inserts the same ref. */
export const lockEntryByRef = (db: Db, namespace: string, name: string): Promise<EntryRow | undefined> =>
  lockedOrAlone(db, `knowledge ${namespace}/${name}`, () =>
    selectEntries(db)
      .where('knowledge.namespace', '=', namespace)
      .where('knowledge.name', '=', name)
      .forUpdate('knowledge')
      .limit(1)
      .executeTakeFirst(),
  )

/**
 * Returns false if an entry that is not deleted has the ref. The version must exist, because inserting this row writes
 * the search index.
 */
export const insertEntry = async (db: Db, entry: Insertable<Database['knowledge']>): Promise<boolean> => {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('knowledge')
    .values({ visibility: defaultVisibility(entry.team_id), ...entry })
    .onConflict((conflict) => conflict.columns(['namespace', 'name']).where('deleted_at', 'is', null).doNothing())
    .executeTakeFirstOrThrow()
  return numInsertedOrUpdatedRows === 1n
}

export const updateEntry = async (db: Db, id: string, change: Updateable<Database['knowledge']>): Promise<void> => {
  await db.updateTable('knowledge').set(change).where('id', '=', id).where('deleted_at', 'is', null).execute()
}

export const countUse = async (db: Db, id: string, counter: 'uses' | 'installs'): Promise<void> => {
  await db
    .updateTable('knowledge')
    .set({ [counter]: sql`${sql.ref(counter)} + 1` })
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .execute()
}

export const moveEntry = async (db: Db, id: string, to: TeamMove): Promise<void> => {
  await db
    .updateTable('knowledge')
    .set(movedColumns('knowledge', to))
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .execute()
}

export const countEntries = async (db: Db, teamId: string): Promise<number> => {
  const { count } = await db
    .selectFrom('knowledge')
    .select(sql<number>`count(*)`.as('count'))
    .where('team_id', '=', teamId)
    .where('deleted_at', 'is', null)
    .executeTakeFirstOrThrow()
  return count
}

/** Counts the entries that a person wrote in a workspace; `generated_by` marks those that a program wrote. */
export const countGathered = (db: Db, of: { teamId: string; userId: string }, since: { day: string; week: string }) =>
  db
    .with('gathered', (db) =>
      db
        .selectFrom('knowledge')
        .select(['type', 'created_at'])
        .select(
          sql<boolean>`exists (select from knowledge_versions
            where knowledge_id = knowledge.id and generated_by <> '')`.as('extracted'),
        )
        .where('team_id', '=', of.teamId)
        .where('user_id', '=', of.userId)
        .where('deleted_at', 'is', null),
    )
    .selectFrom('gathered')
    .select([
      sql<number>`count(*) filter (where type <> 'skill')`.as('knowledge'),
      sql<number>`count(*) filter (where type = 'skill')`.as('skills'),
      sql<number>`count(*) filter (where extracted)`.as('all_time'),
      sql<number>`count(*) filter (where extracted and created_at >= ${since.week})`.as('this_week'),
      sql<number>`count(*) filter (where extracted and created_at >= ${since.day})`.as('today'),
    ])
    .executeTakeFirstOrThrow()

const selectSkills = (db: Db) =>
  db
    .selectFrom('knowledge')
    .innerJoin('knowledge_versions', 'knowledge_versions.id', 'knowledge.version_id')
    .select([
      'knowledge.id',
      'knowledge.category',
      'knowledge.namespace',
      'knowledge.name',
      'knowledge.description',
      'knowledge.is_featured',
      'knowledge.rank',
      'knowledge_versions.tags',
    ])
    .where('knowledge.deleted_at', 'is', null)
    .where('knowledge.type', '=', 'skill')

/** Public skills that have not been removed from the store. */
export const selectListings = (db: Db) =>
  selectSkills(db).where('knowledge.visibility', '=', 'public').where('knowledge.delisted', '=', false)

/** A skill as the store shows it, including removed ones. */
export const findListing = (db: Db, id: string): Promise<ListingRow> =>
  selectSkills(db).where('knowledge.id', '=', id).limit(1).executeTakeFirstOrThrow()

export type ListingRow = InferResult<ReturnType<typeof selectListings>>[number]

/** Ids of entries that were deleted before a time, oldest first. */
export const findDeleted = async (db: Db, before: string, limit: number): Promise<string[]> => {
  const rows = await db
    .selectFrom('knowledge')
    .select('id')
    .where('deleted_at', '<', before)
    .orderBy('deleted_at')
    .limit(limit)
    .execute()
  return rows.map((row) => row.id)
}

/** Removes deleted entries with all their rows. */
export const purgeEntries = async (db: Db, ids: readonly string[]): Promise<void> => {
  const deletedIds = sql.val([...ids])
  await sql`
    with entries as (delete from knowledge where id = any(${deletedIds}::text[]) and deleted_at is not null returning id),
    refs as (delete from knowledge_references where knowledge_id in (select id from entries)),
    texts as (delete from knowledge_contents where knowledge_id in (select id from entries))
    delete from knowledge_versions where knowledge_id in (select id from entries)`.execute(db)
}
