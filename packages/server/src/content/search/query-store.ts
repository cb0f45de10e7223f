// SQL that searches the index. Every statement takes the predicate of who may find what, and a bound on the rows it ranks.
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Db } from '#platform/db/database.ts'
import { type Caller, findableBy } from './access.ts'

/** What a result shows of a document, and what its score is made of. */
export type Shown = {
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

export type Candidate = Shown & {
  id: string
  /** Per word of the query: 2 in the name, title, description or tags, 1 in the text, 0 nowhere. */
  hits: number[] | null
  likeness: number[] | null
  /** How near it is to the meaning of the query; null: not compared. */
  cosine: number | null
}

const columns = sql`d.id, d.kind, d.namespace, d.name, d.title, d.description, d.tags, d.resource_kind, d.origin,
  d.content_hash, d.confirmed_at`

/** How words stand in the index; nothing for those that are in every text. */
export const findLexemes = async (db: Db, words: readonly string[]): Promise<string[][]> => {
  const { rows } = await sql<{ lexemes: string[] }>`
    select tsvector_to_array(to_tsvector('english', word)) as lexemes
    from unnest(${sql.val([...words])}::text[]) with ordinality as asked (word, place) order by place`.execute(db)
  return rows.map((row) => row.lexemes)
}

/** The words of a query, and how each stands in the index. */
export type Terms = { words: readonly string[]; lexemes: readonly string[] }

/** As an expression that the index is asked by; a lexeme of a word has neither quotes nor backslashes. */
const quoted = (lexeme: string): string => `'${lexeme}'`

const hitsOf = ({ lexemes }: Terms): RawBuilder<number[] | null> =>
  sql`(select array_agg(case when d.heads @@ stem then 2 when d.words @@ stem then 1 else 0 end order by place)
    from unnest(${sql.val(lexemes.map(quoted))}::tsquery[]) with ordinality as asked (stem, place))`

const likenessOf = ({ words }: Terms): RawBuilder<number[] | null> =>
  sql`(select array_agg(word_similarity(word, d.label)::float8 order by place)
    from unnest(${sql.val([...words])}::text[]) with ordinality as asked (word, place))`

/** Among which documents: of these kinds, those that the caller may find. */
export type Reach = { kinds: readonly string[]; caller: Caller }

/** More rows than this of one kind are not ranked by one query. */
const mostRanked = 400

/** What holds all of the words, of which the last may still be being typed, and what holds any of them. */
const expressionsOf = ({ words, lexemes }: Terms): { all: string; any: string } => {
  const stems = lexemes.map(quoted)
  const last = words.at(-1) ?? ''
  const typed = last.length >= 2 ? `(${stems.at(-1)} | '${last}':*)` : `${stems.at(-1)}`
  return { all: [...stems.slice(0, -1), typed].join(' & '), any: stems.join(' | ') }
}

type Matching = {
  /** What the expression is held against: all words, or those of name, title, description and tags. */
  column: 'words' | 'heads'
  expression: string
  /** Of which kinds it is asked for at all; the kind at hand is `asked.kind`. */
  where: RawBuilder<SqlBool>
}

/** Of each kind those rows that match, the best first: the more words in the head, the better. */
const bestOf = ({ kinds, caller }: Reach, { column, expression, where }: Matching, any: string, limit: number) => sql`
  select asked.kind, best.id from unnest(${sql.val([...kinds])}::text[]) as asked (kind), lateral (
    select matching.id from (
      select d.id, d.heads from search_documents d
      where ${where} and d.kind = asked.kind and d.${sql.ref(column)} @@ ${expression}::tsquery and ${findableBy(caller)}
      limit ${mostRanked}
    ) matching
    order by ts_rank(matching.heads, ${any}::tsquery) desc, matching.id limit ${limit}
  ) best`

/**
 * The best rows of each kind that hold all of the words, and those that hold any of them where that gives fewer than `enough`, first in
 * their heads, then anywhere. For a server that has not everything in its memory.
 */
export const findByWords = async (
  db: Db,
  reach: Reach,
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

/** Of each lexeme, whether anything that may be found holds it. */
export const findKnown = async (db: Db, { kinds, caller }: Reach, lexemes: readonly string[]): Promise<boolean[]> => {
  const known = lexemes.map(
    (lexeme) => sql<boolean>`exists (select from search_documents d
      where d.words @@ ${quoted(lexeme)}::tsquery and d.kind = any(${sql.val([...kinds])}::text[]) and ${findableBy(caller)})`,
  )
  const { rows } = await sql<{ known: boolean[] }>`select array[${sql.join(known)}] as known`.execute(db)
  return rows[0]?.known ?? []
}

/** Rows whose label holds something like one of the mistyped words. */
export const findByLikeness = async (
  db: Db,
  { kinds, caller }: Reach,
  terms: Terms,
  mistyped: readonly string[],
  limit: number,
): Promise<Candidate[]> => {
  const alike = sql.join(
    mistyped.map((word) => sql<SqlBool>`${word} <% d.label`),
    sql` or `,
  )
  const { rows } = await sql<Candidate>`
    select ${columns}, ${hitsOf(terms)} as hits, ${likenessOf(terms)} as likeness, null::float8 as cosine
    from (select * from search_documents d
      where (${alike}) and d.kind = any(${sql.val([...kinds])}::text[]) and ${findableBy(caller)} limit ${mostRanked}) d
    order by (select max(word_similarity(word, d.label)) from unnest(${sql.val([...mistyped])}::text[]) as asked (word)) desc,
      d.id
    limit ${limit}`.execute(db)
  return rows
}
