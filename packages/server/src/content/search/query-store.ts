// SQL that searches the index. Every statement includes the access predicate and a limit on the rows that it ranks.
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Db } from '#platform/db/database.ts'
import { findableBy, type SearchCaller } from './access.ts'

/** A document as results show it, and the parts of its score. */
export type ShownDocument = {
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
}

export type Candidate = ShownDocument & {
  id: string
  /** Per word of the query: 2 for the head (name, title, description, tags), 1 for the text, 0 for no match. */
  hits: number[] | null
  likeness: number[] | null
  /** The cosine with the query; null if not compared. */
  cosine: number | null
}

const columns = sql`d.id, d.kind, d.namespace, d.name, d.title, d.description, d.tags, d.resource_kind, d.origin,
  d.content_hash, d.confirmed_at`

/** The lexemes of words; none for stop words. */
export const findLexemes = async (db: Db, words: readonly string[]): Promise<string[][]> => {
  const { rows } = await sql<{ lexemes: string[] }>`
    select tsvector_to_array(to_tsvector('english', word)) as lexemes
    from unnest(${sql.val([...words])}::text[]) with ordinality as asked (word, place) order by place`.execute(db)
  return rows.map((row) => row.lexemes)
}

/** The words of a query and their lexemes. */
export type Terms = { words: readonly string[]; lexemes: readonly string[] }

/** For a tsquery; lexemes of words contain neither quotes nor backslashes. */
const quoted = (lexeme: string): string => `'${lexeme}'`

const hitsOf = ({ lexemes }: Terms): RawBuilder<number[] | null> =>
  sql`(select array_agg(case when d.heads @@ stem then 2 when d.words @@ stem then 1 else 0 end order by place)
    from unnest(${sql.val(lexemes.map(quoted))}::tsquery[]) with ordinality as asked (stem, place))`

const similarityOf = ({ words }: Terms): RawBuilder<number[] | null> =>
  sql`(select array_agg(word_similarity(word, d.label)::float8 order by place)
    from unnest(${sql.val([...words])}::text[]) with ordinality as asked (word, place))`

/** The documents to search: these kinds, limited to what the caller may find. */
export type SearchScope = { kinds: readonly string[]; caller: SearchCaller }

/** Maximum number of rows of one kind that one query ranks. */
const maxRanked = 400

/** The tsqueries for all words, the last as a prefix because it may be incomplete, and for any of them. */
const expressionsOf = ({ words, lexemes }: Terms): { all: string; any: string } => {
  const stems = lexemes.map(quoted)
  const last = words.at(-1) ?? ''
  const typed = last.length >= 2 ? `(${stems.at(-1)} | '${last}':*)` : `${stems.at(-1)}`
  return { all: [...stems.slice(0, -1), typed].join(' & '), any: stems.join(' | ') }
}

type Matching = {
  /** The matched column: all words, or only those of the head. */
  column: 'words' | 'heads'
  expression: string
  /** A condition on the kind, which is `asked.kind`. */
  where: RawBuilder<SqlBool>
}

/** The best matching rows of each kind: those with more words in the head first. */
const bestOf = (
  { kinds, caller }: SearchScope,
  { column, expression, where }: Matching,
  any: string,
  limit: number,
) => sql`
  select asked.kind, best.id from unnest(${sql.val([...kinds])}::text[]) as asked (kind), lateral (
    select matching.id from (
      select d.id, d.heads from search_documents d
      where ${where} and d.kind = asked.kind and d.${sql.ref(column)} @@ ${expression}::tsquery and ${findableBy(caller)}
      limit ${maxRanked}
    ) matching
    order by ts_rank(matching.heads, ${any}::tsquery) desc, matching.id limit ${limit}
  ) best`

/**
 * The best rows of each kind that contain all words. If there are fewer than `enough`, also those that contain any
 * word, first in the head, then anywhere. For a server whose memory does not have the whole index.
 */
export const findByWords = async (
  db: Db,
  reach: SearchScope,
  terms: Terms,
  { limit, enough }: { limit: number; enough: number },
): Promise<Candidate[]> => {
  const { all, any } = expressionsOf(terms)
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
      select id from strict union select id from in_heads union select id from anywhere)
    select ${columns}, ${hitsOf(terms)} as hits, null::float8[] as likeness, null::float8 as cosine
    from wanted, lateral (select * from search_documents d
      where d.id = wanted.id and d.kind = any(${sql.val([...reach.kinds])}::text[]) and ${findableBy(reach.caller)} limit 1) d`.execute(
    db,
  )
  return rows
}

/** For each lexeme, whether any document in reach contains it. */
export const findKnown = async (
  db: Db,
  { kinds, caller }: SearchScope,
  lexemes: readonly string[],
): Promise<boolean[]> => {
  const known = lexemes.map(
    (lexeme) => sql<boolean>`exists (select from search_documents d
      where d.words @@ ${quoted(lexeme)}::tsquery and d.kind = any(${sql.val([...kinds])}::text[]) and ${findableBy(caller)})`,
  )
  const { rows } = await sql<{ known: boolean[] }>`select array[${sql.join(known)}] as known`.execute(db)
  return rows[0]?.known ?? []
}

/** Rows whose label contains a word similar to a misspelled one. */
export const findBySimilarity = async (
  db: Db,
  { kinds, caller }: SearchScope,
  terms: Terms,
  mistyped: readonly string[],
  limit: number,
): Promise<Candidate[]> => {
  const alike = sql.join(
    mistyped.map((word) => sql<SqlBool>`${word} <% d.label`),
    sql` or `,
  )
  const { rows } = await sql<Candidate>`
    select ${columns}, ${hitsOf(terms)} as hits, ${similarityOf(terms)} as likeness, null::float8 as cosine
    from (select * from search_documents d
      where (${alike}) and d.kind = any(${sql.val([...kinds])}::text[]) and ${findableBy(caller)} limit ${maxRanked}) d
    order by (select max(word_similarity(word, d.label)) from unnest(${sql.val([...mistyped])}::text[]) as asked (word)) desc,
      d.id
    limit ${limit}`.execute(db)
  return rows
}
