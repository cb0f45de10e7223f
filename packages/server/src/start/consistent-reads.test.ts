// Guarantees: a single read and the first event of a stream show one moment. Each read here joins two tables. A
// transaction locks the second one while the read waits for it, changes both and commits.
import { sql, type Transaction } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { chatWith } from '#agents/chats/testing/given.ts'
import { register as registerRemote } from '#agents/remotes/testing/remote-double.ts'
import { oneStep, openApp, runGraph } from '#automation/flow-runs/testing/given.ts'
import { register as registerEngine } from '#machines/engines/testing/engine-double.ts'
import type { Database } from '#platform/db/schema.gen.ts'
import { readStream } from '../testing/read-stream.ts'
import { until } from '../testing/until.ts'
import { createWorld, type World } from '../testing/world.ts'

type Row = Record<string, unknown>

type Case = {
  claim: string
  /** The rows that the read joins; the result is the path. */
  given: (world: World) => Promise<{ id: string; path: string }>
  locks: string
  change: (trx: Transaction<Database>, id: string) => Promise<unknown>
  /** The state of the two tables: both before the change, or both after it. */
  moments: (shown: Row) => { first: boolean; second: boolean }
}

const endRun = async (trx: Transaction<Database>, chatId: string): Promise<void> => {
  await sql`update agent_runs set state = 'completed', finished_at = now() where chat_id = ${chatId}`.execute(trx)
  await sql`update chats set status = 'idle', active_run_id = null, name = 'after' where id = ${chatId}`.execute(trx)
}

const chatGiven = async (world: World, path: (id: string) => string) => {
  const id = await chatWith(world)
  return { id, path: path(id) }
}

const chatMoments = (chat: Row) => {
  const run = chat.active_run as { state: string } | null | undefined
  return { first: chat.status !== 'busy', second: !run || run.state === 'completed' }
}

const flowRunGiven = async (world: World, path: (id: string) => string) => {
  const { id } = await runGraph(world, oneStep((await openApp(world)).id))
  return { id, path: path(id) }
}

const endFlowRun = async (trx: Transaction<Database>, runId: string): Promise<void> => {
  await sql`update flow_runs set error = 'after' where id = ${runId}`.execute(trx)
  await sql`update flow_run_nodes set status = 'completed', output = '{"value": 1}', task_id = null
    where run_id = ${runId}`.execute(trx)
}

const cases: Case[] = [
  {
    claim: 'GET /chats/{id}',
    given: (world) => chatGiven(world, (id) => `/chats/${id}`),
    locks: 'agent_runs',
    change: endRun,
    moments: chatMoments,
  },
  {
    claim: 'the first event of a chat',
    given: (world) => chatGiven(world, (id) => `/chats/${id}/stream`),
    locks: 'agent_runs',
    change: endRun,
    moments: chatMoments,
  },
  {
    claim: 'GET /agent-runs/{id}',
    given: async (world) => {
      const id = await chatWith(world, { tools: [{ name: 'ask', type: 'client', client: { input_schema: {} } }] })
      const { data } = await world.call('owner', `GET /chats/${id}`)
      return { id, path: `/agent-runs/${data.active_run_id}` }
    },
    locks: 'interrupts',
    change: async (trx, chatId) => {
      await sql`update agent_runs set state = 'input_required' where chat_id = ${chatId}`.execute(trx)
      await sql`insert into interrupts (id, team_id, user_id, run_id, chat_id, reason, source, status, meta)
        select 'i' || substr(id, 2), team_id, user_id, id, chat_id, 'approval', 'test', 'pending', '{}'
        from agent_runs where chat_id = ${chatId}`.execute(trx)
    },
    moments: (run) => ({ first: run.state === 'input_required', second: run.interrupt_reason === 'approval' }),
  },
  {
    claim: 'GET /flowruns/{id}',
    given: (world) => flowRunGiven(world, (id) => `/flowruns/${id}`),
    locks: 'flow_run_nodes',
    change: endFlowRun,
    moments: (run) => ({
      first: run.error === 'after',
      second: (run.node_statuses as Record<string, string>).step === 'completed',
    }),
  },
  {
    claim: 'the first event of a flow run',
    given: (world) => flowRunGiven(world, (id) => `/flowruns/${id}/stream`),
    locks: 'flow_run_nodes',
    change: endFlowRun,
    moments: (run) => ({ first: run.error === 'after', second: Object.keys(run.node_outputs ?? {}).length > 0 }),
  },
  {
    claim: 'GET /engines/{id}',
    given: async (world) => {
      const { id } = await registerEngine(world)
      return { id, path: `/engines/${id}` }
    },
    locks: 'workers',
    change: async (trx, id) => {
      await sql`update engines set name = 'after' where id = ${id}`.execute(trx)
      await sql`update workers set deleted_at = now() where engine_id = ${id}`.execute(trx)
    },
    moments: (engine) => ({ first: engine.name === 'after', second: (engine.workers as Row[]).length === 0 }),
  },
  {
    claim: 'GET /remotes/{id}',
    given: async (world) => {
      const { id } = await registerRemote(world, { harnesses: [{ kind: 'claude' }] }, 'owner')
      return { id, path: `/remotes/${id}` }
    },
    locks: 'remote_profiles',
    change: async (trx, id) => {
      await sql`update remotes set name = 'after' where id = ${id}`.execute(trx)
      await sql`delete from remote_profiles where remote_id = ${id}`.execute(trx)
    },
    moments: (remote) => ({ first: remote.name === 'after', second: (remote.profiles as Row[]).length === 0 }),
  },
]

let world: World
let address = ''
beforeAll(async () => {
  world = await createWorld()
  address = await world.listen()
})
afterAll(() => world?.close())

const read = async (path: string): Promise<Row> => {
  const headers = { authorization: `Bearer ${await world.token('owner')}`, 'x-team-id': world.team.id }
  if (!path.endsWith('/stream')) {
    const answer = await world.call('owner', `GET ${path}`)
    expect(answer.status, answer.text).toBe(200)
    return answer.data
  }
  const stream = await readStream(`${address}${path}`, headers)
  const first = await stream.next()
  stream.close()
  return first?.data
}

const isWaited = async (trx: Transaction<Database>, table: string): Promise<boolean> => {
  const { rows } = await sql`select from pg_locks where relation = ${table}::regclass and not granted`.execute(trx)
  return rows.length > 0
}

it.each(cases)('$claim shows one moment', async ({ given, locks, change, moments }) => {
  const { id, path } = await given(world)
  const { db } = world.open.platform
  const shown = await db.transaction().execute(async (trx) => {
    await sql`lock table ${sql.table(locks)} in access exclusive mode`.execute(trx)
    const reading = read(path)
    reading.catch(() => undefined)
    await until(() => isWaited(trx, locks))
    await change(trx, id)
    return { reading }
  })
  const { first, second } = moments(await shown.reading)
  expect({ first, second }).toEqual({ first, second: first })
})
