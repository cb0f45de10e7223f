// The floor of the read benchmark: Fastify, a pool, one prepared select of the same row with the same columns, JSON out.
import Fastify from 'fastify'
import pg from 'pg'
import { findRunningPostgres } from '../../packages/server/src/platform/db/embedded/postgres.ts'

const [dataDir = ''] = process.argv.slice(2)
const running = await findRunningPostgres(dataDir)
if (!running) throw new Error('The database of the data folder is not running')
const pool = new pg.Pool({ connectionString: running.connectionString, max: 16 })
const app = Fastify()

app.get<{ Params: { id: string } }>('/apps/:id', async (request) => {
  const { rows } = await pool.query({
    name: 'read-app',
    text: `select a.*, to_json(v.*) as version from apps a left join app_versions v on v.id = a.version_id
      where a.id = $1 and a.deleted_at is null`,
    values: [request.params.id],
  })
  return { success: true, data: rows[0], messages: [] }
})

await app.listen({ port: 0, host: '127.0.0.1' })
const address = app.server.address()
process.send?.(typeof address === 'object' ? address?.port : 0)
