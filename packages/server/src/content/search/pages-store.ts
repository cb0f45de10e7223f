// SQL of pages.
import { sql } from 'kysely'
import type { Db } from '#platform/db/database.ts'

export type GuidePage = {
  id: string
  namespace: string
  name: string
  title: string
  description: string
  body: string
}

/** Replaces the stored pages with the given ones; unchanged pages are not written. */
export const savePages = async (
  db: Db,
  pages: readonly GuidePage[],
  { published, now }: { published: boolean; now: string },
): Promise<void> => {
  const given = sql`jsonb_to_recordset(${JSON.stringify(pages)}::jsonb) as given
    (id text, namespace text, name text, title text, description text, body text)`
  await sql`
    with gone as (delete from pages p
      where not exists (select from ${given} where given.namespace = p.namespace and given.name = p.name))
    insert into pages as held (id, namespace, name, title, description, body, published, updated_at)
    select given.id, given.namespace, given.name, given.title, given.description, given.body, ${published},
      ${now}::timestamptz from ${given}
    on conflict (namespace, name) do update set title = excluded.title, description = excluded.description,
      body = excluded.body, published = excluded.published, updated_at = excluded.updated_at
    where (held.title, held.description, held.body, held.published)
      is distinct from (excluded.title, excluded.description, excluded.body, excluded.published)`.execute(db)
}
