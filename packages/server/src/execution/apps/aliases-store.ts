// SQL of platform aliases and of the store's tags.
import { type Insertable, sql } from 'kysely'
import type { Db } from '#platform/db/database.ts'
import type { Database } from '#platform/db/schema.gen.ts'

export const findAlias = (db: Db, namespace: string, name: string) =>
  db
    .selectFrom('app_aliases')
    .select(['id', 'app_id', 'function', 'url'])
    .where('namespace', '=', namespace)
    .where('name', '=', name)
    .limit(1)
    .executeTakeFirst()

export const upsertAlias = async (db: Db, alias: Insertable<Database['app_aliases']>): Promise<void> => {
  await db
    .insertInto('app_aliases')
    .values(alias)
    .onConflict((conflict) =>
      conflict.columns(['namespace', 'name']).doUpdateSet({
        app_id: alias.app_id ?? null,
        url: alias.url ?? null,
        function: alias.function,
        updated_at: alias.updated_at,
      }),
    )
    .execute()
}

export const deleteAlias = async (db: Db, namespace: string, name: string): Promise<boolean> => {
  const { numDeletedRows } = await db
    .deleteFrom('app_aliases')
    .where('namespace', '=', namespace)
    .where('name', '=', name)
    .executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}

/** Aliases that every caller may follow: to a page, or to a public app that is not deleted. */
export const findPublicAliases = (db: Db) =>
  db
    .selectFrom('app_aliases')
    .leftJoin('apps', 'apps.id', 'app_aliases.app_id')
    .select([
      'app_aliases.namespace',
      'app_aliases.name',
      'app_aliases.function',
      'app_aliases.url',
      'apps.namespace as target_namespace',
      'apps.name as target_name',
    ])
    .where((where) =>
      where.or([
        where('app_aliases.url', 'is not', null),
        where.and([where('apps.deleted_at', 'is', null), where('apps.visibility', '=', 'public')]),
      ]),
    )
    .orderBy('app_aliases.namespace')
    .orderBy('app_aliases.name')
    .execute()

export const countTags = async (db: Db, minApps: number): Promise<{ slug: string; count: number }[]> => {
  const { rows } = await sql<{ slug: string; count: number }>`
    select slug, count(*) as count from apps, unnest(tags) as slug
    where deleted_at is null and visibility = 'public' and status <> 'retired' and not delisted
    group by slug having count(*) >= ${minApps} order by count(*) desc, slug`.execute(db)
  return rows
}
