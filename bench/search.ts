// Searches 100,000 entries by text and embedding with 8 callers, compared with PostgreSQL's full text search over the
// same rows; also indexing and embedding speed, and memory. SEARCH_BENCH_ENTRIES: one size or several
// (10000,100000,1000000). SEARCH_BENCH_SECONDS: duration of each measurement. SEARCH_BENCH_DIR: a data folder to reuse,
// so that entries need not be written again. Processor time per search is reported too, because it is more reliable
// than wall time on a shared machine. `GET /me` is the cost of a request without a search.
//
// The model embeds some tens of texts per second, so the vectors of the entries are synthetic (a center per topic and a
// random direction); those of the queries are computed by the model before the measurement, as in a warm cache. The
// cost of a new query is measured separately and sequentially.
import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { signIn } from '../e2e/support/operator.ts'
import { startServer } from '../e2e/support/server.ts'
import { createThreadEmbedder } from '../packages/server/src/content/search/embedding/thread.ts'
import { quantised } from '../packages/server/src/content/search/embedding/vectors.ts'
import { findRunningPostgres } from '../packages/server/src/platform/db/embedded/postgres.ts'
import { openCaller } from './support/caller.ts'
import { cpuMs, threadsMs } from './support/cpu.ts'
import { show } from './support/load.ts'
import { createCorpus } from './support/search-corpus.ts'

const sizes = (process.env.SEARCH_BENCH_ENTRIES ?? '100000').split(',').map(Number)
const seconds = Number(process.env.SEARCH_BENCH_SECONDS ?? 15)
const callers = 8
const chunk = 2_000
const embeddedTexts = 64
const newQueries = 25

/** Node options such as --cpu-prof, for the server only. */
const { SEARCH_BENCH_NODE } = process.env
const nodeOptions: Record<string, string> = SEARCH_BENCH_NODE === undefined ? {} : { NODE_OPTIONS: SEARCH_BENCH_NODE }

const corpus = await createCorpus()
const allQueries = corpus.queries(200)
const queries = allQueries.slice(0, 100)
const keptFolder = process.env.SEARCH_BENCH_DIR
const server = await startServer({
  dataDir: keptFolder,
  env: { ENGINE: 'false', CONSOLE: 'false', SEARCH_MEMORY_MB: '2048', ...nodeOptions },
})
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

/** Writes rows as the service does; the triggers index them. Returns seconds. */
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

/** Processor time per request, in milliseconds. */
type Spent = { server: number; threads: number; postgres: number; callers: number }

const postmaster = Number((await readFile(join(server.dataDir, 'postgres', 'postmaster.pid'), 'utf8')).split('\n')[0])

const spentSoFar = async (): Promise<Spent> => {
  const { first, others } = await threadsMs(server.pid)
  const { user, system } = process.cpuUsage()
  return {
    server: first,
    threads: others,
    postgres: (await cpuMs(postmaster)) ?? 0,
    callers: (user + system) / 1000,
  }
}

type Timed = { p50: number; p99: number; perSecond: number; spent: Spent }

const measure = async (ask: (query: string) => Promise<unknown>, forSeconds: number): Promise<Timed> => {
  const times: number[] = []
  const before = await spentSoFar()
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
  const perSecond = times.length / ((performance.now() - startedAt) / 1000)
  const after = await spentSoFar()
  times.sort((a, b) => a - b)
  const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0
  const each = (part: keyof Spent): number => (after[part] - before[part]) / times.length
  const spent = {
    server: each('server'),
    threads: each('threads'),
    postgres: each('postgres'),
    callers: each('callers'),
  }
  return { p50: at(0.5), p99: at(0.99), perSecond, spent }
}

const open = Array.from({ length: callers }, () =>
  openCaller(server.url, { authorization: `Bearer ${owner.session_token}`, 'x-team-id': owner.team_id }),
)
const free = [...open]

/** Uses an idle caller; there are as many as concurrent requests. */
const call = async (
  method: string,
  path: string,
  body?: object,
): Promise<{ data: unknown; messages: { code: string }[] }> => {
  const caller = free.pop()
  if (!caller) throw new Error('More concurrent requests than callers')
  const { status, text } = await caller.ask(method, path, body && JSON.stringify(body))
  free.push(caller)
  if (status !== 200) throw new Error(`${path} answered ${status}: ${text}`)
  return JSON.parse(text)
}

const askMe = () => call('GET', '/me')
const searchMillrace = (query: string) => call('POST', '/search', { query, collections: ['knowledge'] })

const searchPostgres = (query: string) =>
  pool.query(
    `select id, name, description, ts_rank(words, asked) as rank
     from search_documents, plainto_tsquery('english', $1) asked
     where words @@ asked and kind = 'knowledge' and team_id = $2 order by rank desc limit 20`,
    [query, owner.team_id],
  )

/** Runs every query until everything is loaded; returns the notices of the last replies. */
const warmUp = async (): Promise<Set<string>> => {
  for (let waited = 0; waited < 120; waited += 1) {
    if ((await searchMillrace(queries[0] ?? '')).messages.length === 0) break
    await sleep(1_000)
  }
  const notices = new Set<string>()
  for (const query of queries) {
    let messages = (await searchMillrace(query)).messages
    // A busy machine may not embed a query in time.
    for (let again = 0; again < 5 && messages.length > 0; again += 1) messages = (await searchMillrace(query)).messages
    for (const { code } of messages) notices.add(code)
  }
  await measure(searchMillrace, seconds / 3)
  return notices
}

const print = (name: string, { p50, p99, perSecond, spent }: Timed): void =>
  console.log(
    `${name.padEnd(12)} p50 ${p50.toFixed(1)} ms  p99 ${p99.toFixed(1)} ms  ${show(perSecond, 1)}/s at ${callers} callers; processor: ` +
      `server ${spent.server.toFixed(2)}, its threads ${spent.threads.toFixed(2)}, PostgreSQL ${spent.postgres.toFixed(2)}, callers ${spent.callers.toFixed(2)} ms`,
  )

const embedder = createThreadEmbedder()
try {
  const texts = Array.from({ length: embeddedTexts }, (_, number) => corpus.entry(number).text)
  await embedder.embed(texts.slice(0, 1), 60_000)
  const before = performance.now()
  for (let start = 0; start < texts.length; start += 16) await embedder.embed(texts.slice(start, start + 16), 60_000)
  console.log(`embedding    ${show((1000 * embeddedTexts) / (performance.now() - before), 1)} texts/s on one thread`)
  await embedder.close()
  const { rows } = await pool.query<{ held: string }>(
    `select count(*) as held from knowledge where namespace = 'bench'`,
  )
  let held = Number(rows[0]?.held ?? 0)
  for (const size of sizes) {
    const isNew = size > held
    const rate = isNew ? (size - held) / (await fill(held, size)) : 0
    held = Math.max(held, size)
    await pool.query('vacuum analyze search_documents')
    await pool.query('vacuum analyze search_vectors')
    const notices = await warmUp()
    const ours = await measure(searchMillrace, seconds)
    await measure(askMe, seconds / 6)
    const me = await measure(askMe, seconds / 3)
    const words = await measure(searchPostgres, seconds)
    const unasked = allQueries.splice(-newQueries)
    const first: number[] = []
    for (const query of unasked) {
      const before = performance.now()
      await searchMillrace(query)
      first.push(performance.now() - before)
    }
    first.sort((a, b) => a - b)
    console.log(`entries      ${show(held)}${isNew ? ` (written and indexed at ${show(rate)} rows/s)` : ''}`)
    print('millrace', ours)
    print('full text', words)
    print('GET /me', me)
    console.log(
      `ratio        ${(ours.p50 / words.p50).toFixed(2)} at the median; memory of the server ${show(await memoryMb())} MB; load of the machine ${loadavg()[0]?.toFixed(1)}`,
    )
    console.log(`new query    p50 ${(first[Math.floor(first.length / 2)] ?? 0).toFixed(1)} ms at one caller`)
    if (notices.size > 0) console.log(`notices      ${[...notices].join(', ')}`)
  }
} finally {
  for (const caller of open) caller.close()
  await embedder.close()
  await pool.end()
  await (keptFolder === undefined ? server.remove() : server.stop())
}
