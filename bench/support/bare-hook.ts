// The floor of the webhook benchmark: Fastify, a pool, and a handler that writes the same row into a table with the
// same columns and indexes: in its own transaction, or as a single statement. No signature, no trigger, no run.
import { randomBytes } from 'node:crypto'
import Fastify, { type FastifyRequest } from 'fastify'
import pg from 'pg'
import { findRunningPostgres } from '../../packages/server/src/platform/db/embedded/postgres.ts'

const [dataDir = '', teamId = ''] = process.argv.slice(2)
const running = await findRunningPostgres(dataDir)
if (!running) throw new Error('The database of the data folder is not running')
const pool = new pg.Pool({ connectionString: running.connectionString, max: 16 })
await pool.query('create table if not exists bare_fires (like trigger_fires including all)')
const app = Fastify()
const answer = { ok: true, success: true, data: { ok: true }, messages: [] }

const insertOf = (request: FastifyRequest) => ({
  name: 'write-fire',
  text: `insert into bare_fires (id, trigger_id, team_id, status, kind, payload, delivery_id, available_at, created_at, updated_at)
    values ($1, $2, $3, 'pending', 'hook', $4, $5, $6, $6, $6)`,
  values: [
    randomBytes(13).toString('hex'),
    (request.params as { id: string }).id,
    teamId,
    JSON.stringify(request.body),
    request.headers['idempotency-key'],
    new Date().toISOString(),
  ],
})

app.post('/transaction/:id', async (request) => {
  const client = await pool.connect()
  try {
    await client.query('begin')
    await client.query(insertOf(request))
    await client.query('commit')
  } finally {
    client.release()
  }
  return answer
})

app.post('/statement/:id', async (request) => {
  await pool.query(insertOf(request))
  return answer
})

await app.listen({ port: 0, host: '127.0.0.1' })
const address = app.server.address()
process.send?.(typeof address === 'object' ? address?.port : 0)
