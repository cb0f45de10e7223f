// SQL that searches the index. Every statement takes the predicate of who may find what, and a bound on the rows it ranks.
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Db } from '../db/database.ts'

export type Candidate = {
  id: string
  kind: string
  namespace: string
  name: string
  title: string
  description: string
  tags: string[]
  resource_kind: string
  origin: string
  content_hash: string
  confirmed_at: string | null
  /** Per word of the query: 2 in the name, title, description or tags, 1 in the text, 0 nowhere. */
  hits: number[] | null
  likeness: number[] | null
}

const columns = sql`d.id, d.kind, d.namespace, d.name, d.title, d.description, d.tags, d.resource_kind, d.origin,
  d.content_hash, d.confirmed_at`

/** How the words of a query stand in the index; null for words that are in every text. */
export const findStems = async (db: Db, words: readonly string[]): Promise<(string | null)[]> => {
  const { rows } = await sql<{ stem: string | null }>`
    select nullif(plainto_tsquery('english', word)::text, '') as stem
    from unnest(${sql.val([...words])}::text[]) with ordinality as asked (word, place) order by place`.execute(db)
  return rows.map((row) => row.stem)
}

export type Terms = { words: readonly string[]; stems: readonly string[] }

const hitsOf = ({ stems }: Terms): RawBuilder<number[] | null> =>
  sql`(select array_agg(case when d.heads @@ stem then 2 when d.words @@ stem then 1 else 0 end order by place)
    from unnest(${sql.val([...stems])}::tsquery[]) with ordinality as asked (stem, place))`

const likenessOf = ({ words }: Terms): RawBuilder<number[] | null> =>
  sql`(select array_agg(word_similarity(word, d.label)::float8 order by place)
    from unnest(${sql.val([...words])}::text[]) with ordinality as asked (word, place))`

export type Reach = { kinds: readonly string[]; findable: RawBuilder<SqlBool> }

/** More rows than this of one kind are not ranked by one query. */
const mostRanked = 400

/** Expressions over stems: all of the words, and any of them. */
export type Expressions = { all: string; any: string }

type Matching = {
  /** What the expression is held against: all words, or those of name, title, description and tags. */
  column: 'words' | 'heads'
  expression: string
  /** Of which kinds it is asked for at all; the kind at hand is `asked.kind`. */
  where: RawBuilder<SqlBool>
}

/** Of each kind those rows that match, the best first: the more words in the head, the better. */
const bestOf = ({ kinds, findable }: Reach, { column, expression, where }: Matching, any: string, limit: number) => sql`
  select asked.kind, best.id from unnest(${sql.val([...kinds])}::text[]) as asked (kind), lateral (
    select matching.id from (
      select d.id, d.heads from search_documents d
      where ${where} and d.kind = asked.kind and d.${sql.ref(column)} @@ ${expression}::tsquery and ${findable}
      limit ${mostRanked}
    ) matching
    order by ts_rank(matching.heads, ${any}::tsquery) desc, matching.id limit ${limit}
  ) best`

/**
 * The best rows of each kind that hold all of the words, those that hold any of them where that gives fewer than `enough`, first in
 * their heads, then anywhere, and those that were found by their meaning, as far as the caller may still find them. One
 * statement: the way to the database and back costs as much as most of the work there.
 */
export const findCandidates = async (
  db: Db,
  reach: Reach,
  terms: Terms,
  { all, any }: Expressions,
  { limit, enough, near }: { limit: number; enough: number; near: readonly string[] },
): Promise<Candidate[]> => {
  const fewIn = (found: string) =>
    sql<SqlBool>`(select count(*) from ${sql.ref(found)} found where found.kind = asked.kind) < ${enough}`
  const always = sql<SqlBool>`true`
  const { rows } = await sql<Candidate>`
    with strict as materialized (${bestOf(reach, { column: 'words', expression: all, where: always }, any, limit)}),
    in_heads as materialized (${bestOf(reach, { column: 'heads', expression: any, where: fewIn('strict') }, any, limit)}),
    anywhere as (${bestOf(
      reach,
      { column: 'words', expression: any, where: sql`${fewIn('strict')} and ${fewIn('in_heads')}` },
      any,
      limit,
    )}),
    wanted as (
      select id from strict union select id from in_heads union select id from anywhere
      union select id from unnest(${sql.val([...near])}::text[]) as near (id))
    select ${columns}, ${hitsOf(terms)} as hits, null::float8[] as likeness
    from wanted, lateral (select * from search_documents d
      where d.id = wanted.id and d.kind = any(${sql.val([...reach.kinds])}::text[]) and ${reach.findable} limit 1) d`.execute(
    db,
  )
  return rows
}

/** Of each expression over stems, whether anything that may be found matches it. */
export const findKnown = async (
  db: Db,
  { kinds, findable }: Reach,
  expressions: readonly string[],
): Promise<boolean[]> => {
  const known = expressions.map(
    (expression) => sql<boolean>`exists (select from search_documents d
      where d.words @@ ${expression}::tsquery and d.kind = any(${sql.val([...kinds])}::text[]) and ${findable})`,
  )
  const { rows } = await sql<{ known: boolean[] }>`select array[${sql.join(known)}] as known`.execute(db)
  return rows[0]?.known ?? []
}

/** Rows whose label holds something like one of the mistyped words. */
export const findByLikeness = async (
  db: Db,
  { kinds, findable }: Reach,
  terms: Terms,
  mistyped: readonly string[],
  limit: number,
): Promise<Candidate[]> => {
  const alike = sql.join(
    mistyped.map((word) => sql<SqlBool>`${word} <% d.label`),
    sql` or `,
  )
  const { rows } = await sql<Candidate>`
    select ${columns}, ${hitsOf(terms)} as hits, ${likenessOf(terms)} as likeness
    from (select * from search_documents d
      where (${alike}) and d.kind = any(${sql.val([...kinds])}::text[]) and ${findable} limit ${mostRanked}) d
    order by (select max(word_similarity(word, d.label)) from unnest(${sql.val([...mistyped])}::text[]) as asked (word)) desc,
      d.id
    limit ${limit}`.execute(db)
  return rows
}

/** Rows that were found by their meaning, as far as the caller may still find them. */
export const findByIds = async (
  db: Db,
  { kinds, findable }: Reach,
  terms: Terms,
  ids: readonly string[],
): Promise<Candidate[]> => {
  const { rows } = await sql<Candidate>`
    select ${columns}, ${hitsOf(terms)} as hits, null::float8[] as likeness from search_documents d
    where d.id = any(${sql.val([...ids])}::text[]) and d.kind = any(${sql.val([...kinds])}::text[]) and ${findable}`.execute(
    db,
  )
  return rows
}
