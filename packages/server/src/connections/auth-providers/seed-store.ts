// SQL of the platform's built-in providers.
import type { ListedProvider } from '@millrace/contract/providers'
import { sql } from 'kysely'
import type { Db } from '#platform/db/database.ts'

/** `type` is the type of the company. */
export type SeedRow = { id: string; type: 'oauth' | 'api_key' } & Pick<
  ListedProvider,
  'slug' | 'display_name' | 'website' | 'description' | 'docs_url' | 'how_it_works' | 'connection_scope' | 'specs'
>

/** Rows that an operator edited or deleted stay unchanged. */
export const upsertProviders = async (db: Db, rows: readonly SeedRow[], now: string): Promise<void> => {
  await sql`
    insert into auth_providers as held (id, slug, provider, display_name, website, description, docs_url, how_it_works, scope,
      connection_scope, specs, seeded, created_at, updated_at)
    select s.id, s.slug, s.slug, s.display_name, s.website, s.description, s.docs_url, s.how_it_works, 'platform',
      s.connection_scope, s.specs, true, ${now}::timestamptz, ${now}::timestamptz
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as s (id text, slug text, display_name text, website text,
      description text, docs_url text, how_it_works text[], connection_scope text, specs jsonb)
    where not exists (select 1 from auth_providers gone where gone.slug = s.slug and gone.seeded and gone.deleted_at is not null)
    on conflict (slug) where scope = 'platform' and deleted_at is null
    do update set display_name = excluded.display_name, website = excluded.website, description = excluded.description,
      docs_url = excluded.docs_url, how_it_works = excluded.how_it_works, connection_scope = excluded.connection_scope,
      specs = excluded.specs, updated_at = excluded.updated_at
    where held.seeded and held.edited_at is null
      and (held.display_name, held.website, held.description, held.docs_url, held.how_it_works, held.connection_scope, held.specs)
        is distinct from (excluded.display_name, excluded.website, excluded.description, excluded.docs_url,
          excluded.how_it_works, excluded.connection_scope, excluded.specs)`.execute(db)
}

export const insertCompanies = async (db: Db, rows: readonly SeedRow[], now: string): Promise<void> => {
  await sql`
    insert into companies (slug, display_name, type, website, created_at, updated_at)
    select s.slug, s.display_name, s.type, s.website, ${now}::timestamptz, ${now}::timestamptz
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as s (slug text, display_name text, type text, website text)
    on conflict (slug) do nothing`.execute(db)
}
