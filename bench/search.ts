// Searching 100,000 entries by words and meaning at 8 callers, next to PostgreSQL's full text alone over the same rows in the
// same run; how fast rows are indexed and embedded, and what memory it takes. SEARCH_BENCH_ENTRIES takes one size or several
// (10000,100000,1000000), SEARCH_BENCH_SECONDS how long each is measured.
//
// The model embeds some tens of texts a second, so the vectors of the entries are made up (a centre per topic and a
// direction of their own); those of the queries are the model's, made before the measurement as a warm cache has them. What a
// query costs that was never asked before is measured apart, one after the other.
import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import pg from 'pg'
import { signIn } from '../e2e/support/operator.ts'
import { startServer } from '../e2e/support/server.ts'
import { findRunningPostgres } from '../packages/server/src/db/embedded/postgres.ts'
import { createThreadEmbedder } from '../packages/server/src/search/thread.ts'
import { quantised } from '../packages/server/src/search/vectors.ts'
import { show } from './support/load.ts'
import { createCorpus } from './support/search-corpus.ts'

const sizes = (process.env.SEARCH_BENCH_ENTRIES ?? '100000').split(',').map(Number)
const seconds = Number(process.env.SEARCH_BENCH_SECONDS ?? 15)
const callers = 8
const chunk = 2_000
const embeddedTexts = 64
const newQueries = 25

const corpus = await createCorpus()
const allQueries = corpus.queries(200)
const queries = allQueries.slice(0, 100)
const server = await startServer({ env: { ENGINE: 'false' }, startLimitMs: 180_000 })
const owner = await signIn(server.dataDir, 'bench@example.com', 'bench')
const running = await findRunningPostgres(server.dataDir)
const pool = new pg.Pool({ connectionString: running?.connectionString, max: callers })

const memoryMb = async (): Promise<number> => {
  const status = await readFile(`/proc/${server.pid}/status`, 'utf8').catch(() => '')
  return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1024
}

const centres = new Map<number, Float32Array>()
const direction = (): Float32Array => Float32Array.from({ length: 512 }, () => Math.random() + Math.random() - 1)
const vectorOf = (topic: number): Float32Array => {
  const centre = centres.get(topic) ?? direction()
  centres.set(topic, centre)
  const own = direction()
  return own.map((component, place) => component * 0.7 + (centre[place] ?? 0))
}

/** Rows as the service writes them; the triggers index them. Seconds. */
const fill = async (from: number, to: number): Promise<number> => {
  let elapsedMs = 0
  for (let start = from; start < to; start += chunk) {
    const entries = Array.from({ length: Math.min(chunk, to - start) }, (_, index) => corpus.entry(start + index))
    const ids = entries.map((_, index) => `bench${String(start + index).padStart(21, '0')}`)
    const hashes = entries.map(() => randomBytes(32).toString('hex'))
    const before = performance.now()
    await pool.query(
      `with given as (select * from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[])
         as given (id, hash, name, description, content)),
       contents as (insert into knowledge_contents (knowledge_id, hash, content) select id, hash, content from given)
       insert into knowledge_versions (id, knowledge_id, files, content_hash, mutation_type, last_confirmed_at, created_by, created_at)
       select id, id, jsonb_build_array(jsonb_build_object('path', 'entry.md', 'size', length(content), 'hash', hash)), hash,
         'create', now(), $6, now() from given`,
      [
        ids,
        hashes,
        entries.map((one) => one.name),
        entries.map((one) => one.description),
        entries.map((one) => one.text),
        owner.user_id,
      ],
    )
    await pool.query(
      `insert into knowledge (id, team_id, user_id, visibility, namespace, name, description, type, version_id, content_hash)
       select id, $4, $5, 'team', 'bench', name, description, 'observation', id, id
       from unnest($1::text[], $2::text[], $3::text[]) as given (id, name, description)`,
      [ids, entries.map((one) => one.name), entries.map((one) => one.description), owner.team_id, owner.user_id],
    )
    elapsedMs += performance.now() - before
    const vectors = entries.map(({ topic }) => vectorOf(topic))
    await pool.query(
      `insert into search_vectors (id, model, components)
       select id, 'universal-sentence-encoder-lite', components
       from unnest($1::text[], $2::bytea[]) as given (id, components)
       on conflict (id) do update set components = excluded.components`,
      [ids, vectors.map(quantised)],
    )
    await pool.query('update search_documents set vector_hash = meaning_hash where id = any($1::text[])', [ids])
  }
  return elapsedMs / 1000
}

type Timed = { p50: number; p99: number; perSecond: number }

const measure = async (ask: (query: string) => Promise<unknown>, forSeconds: number): Promise<Timed> => {
  const times: number[] = []
  const startedAt = performance.now()
  const endAt = startedAt + forSeconds * 1000
  let next = 0
  const caller = async (): Promise<void> => {
    while (performance.now() < endAt) {
      next += 1
      const before = performance.now()
      await ask(queries[next % queries.length] ?? '')
      times.push(performance.now() - before)
    }
  }
  await Promise.all(Array.from({ length: callers }, caller))
  times.sort((a, b) => a - b)
  const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0
  return { p50: at(0.5), p99: at(0.99), perSecond: times.length / ((performance.now() - startedAt) / 1000) }
}

const searchMillrace = async (query: string): Promise<{ results: unknown[]; notices: string[] }> => {
  const response = await fetch(`${server.url}/search`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${owner.session_token}`,
      'x-team-id': owner.team_id,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ query, collections: ['knowledge'] }),
  })
  if (!response.ok) throw new Error(`The search answered ${response.status}: ${await response.text()}`)
  const { data, messages } = (await response.json()) as { data: { results: unknown[] }; messages: { code: string }[] }
  return { results: data.results, notices: messages.map(({ code }) => code) }
}

const searchPostgres = (query: string) =>
  pool.query(
    `select id, name, description, ts_rank(words, asked) as rank
     from search_documents, plainto_tsquery('english', $1) asked
     where words @@ asked and kind = 'knowledge' and team_id = $2 order by rank desc limit 20`,
    [query, owner.team_id],
  )

const embedder = createThreadEmbedder()
try {
  const texts = Array.from({ length: embeddedTexts }, (_, number) => corpus.entry(number).text)
  await embedder.embed(texts.slice(0, 1), 60_000)
  const before = performance.now()
  for (let start = 0; start < texts.length; start += 16) await embedder.embed(texts.slice(start, start + 16), 60_000)
  console.log(`embedding    ${show((1000 * embeddedTexts) / (performance.now() - before), 1)} texts/s on one thread`)
  await embedder.close()
  let held = 0
  for (const size of sizes) {
    const fillSeconds = await fill(held, size)
    const rate = (size - held) / fillSeconds
    held = size
    await pool.query('vacuum analyze search_documents')
    await pool.query('vacuum analyze search_vectors')
    const notices = new Set<string>()
    for (const query of queries) for (const notice of (await searchMillrace(query)).notices) notices.add(notice)
    const ours = await measure(searchMillrace, seconds)
    const words = await measure(searchPostgres, seconds)
    const unasked = allQueries.splice(-newQueries)
    const first: number[] = []
    for (const query of unasked) {
      const before = performance.now()
      await searchMillrace(query)
      first.push(performance.now() - before)
    }
    first.sort((a, b) => a - b)
    console.log(`entries      ${show(size)} (written and indexed at ${show(rate)} rows/s)`)
    for (const [name, { p50, p99, perSecond }] of [
      ['millrace', ours],
      ['full text', words],
    ] as const)
      console.log(
        `${name.padEnd(12)} p50 ${p50.toFixed(1)} ms  p99 ${p99.toFixed(1)} ms  ${show(perSecond, 1)}/s at ${callers} callers`,
      )
    console.log(
      `ratio        ${(ours.p50 / words.p50).toFixed(2)} at the median; memory of the server ${show(await memoryMb())} MB`,
    )
    console.log(`first asked  p50 ${(first[Math.floor(first.length / 2)] ?? 0).toFixed(1)} ms at one caller`)
    if (notices.size > 0) console.log(`notices      ${[...notices].join(', ')}`)
  }
} finally {
  await embedder.close()
  await pool.end()
  await server.remove()
}
