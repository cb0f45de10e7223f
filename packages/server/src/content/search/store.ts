// SQL that looks up documents of the index by ref or id. The search itself is in query-store.ts.
import { type InferResult, sql } from 'kysely'
import type { Db } from '#platform/db/database.ts'
import { teamOrg } from '#platform/tenancy/visibility.ts'

const selectDocuments = (db: Db) =>
  db
    .selectFrom('search_documents')
    .select([
      'search_documents.id',
      'search_documents.kind',
      'search_documents.team_id',
      'search_documents.user_id',
      'search_documents.visibility',
      'search_documents.namespace',
      'search_documents.name',
      'search_documents.description',
      'search_documents.resource_kind',
    ])
    .select(teamOrg('search_documents'))

type IndexedResource = InferResult<ReturnType<typeof selectDocuments>>[number]

export const findByIds = (db: Db, ids: readonly string[]): Promise<IndexedResource[]> =>
  selectDocuments(db)
    .where('search_documents.id', 'in', [...ids])
    .orderBy('search_documents.namespace')
    .orderBy('search_documents.name')
    .execute()

export const findByRefs = (db: Db, refs: readonly { namespace: string; name: string }[]): Promise<IndexedResource[]> =>
  selectDocuments(db)
    .where(
      sql<boolean>`(search_documents.namespace, search_documents.name) in (
        select * from unnest(${sql.val(refs.map((ref) => ref.namespace))}::text[], ${sql.val(refs.map((ref) => ref.name))}::text[]))`,
    )
    .execute()
