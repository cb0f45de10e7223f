// Guarantees: no accepted task is lost, stuck or reported wrongly, regardless of which part fails under load: the
// server, the engine, an app process, the connection between them. KILL_MATRIX sets how often each is hit (`npm run
// prove -- kill-matrix --size large`: 30).
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { freePort, startTcpProxy, type TcpProxy } from '../packages/server/src/testing/tcp-proxy.ts'
import { deploy } from './sdk/deploy.ts'
import { sdk } from './sdk/load.ts'
import { childrenOf, folderKeptBy, localEnginePid } from './support/engine.ts'
import { type SignedIn, signIn } from './support/operator.ts'
import { type ServerProcess, startServer } from './support/server.ts'

const rounds = Number(process.env.KILL_MATRIX ?? 1)
const runsPerSecond = 20
/** Callers wait while there are this many open tasks, so that a slow machine is not overloaded. */
const backlogLimit = 500
const settleLimitMs = 180_000

const completed = 10

// Records every execution before it works, so that duplicates are visible.
const code = `
import { appendFileSync } from 'node:fs'
export class App {
  async run({ n, ms }) {
    appendFileSync(process.env.MILLRACE_DATA_DIR + '/ledger.txt', n + '\\n')
    await new Promise((resolve) => setTimeout(resolve, ms))
    return { n, squared: n * n }
  }
}
`

type Task = {
  id: string
  status: number
  error?: string
  input: { n: number }
  output: { n: number; squared: number } | null
  events: { status: number }[]
}

type Stage = { server: ServerProcess; proxy: TcpProxy; owner: SignedIn; url: string; dataDir: string }

type Fault = { name: string; strike(stage: Stage): Promise<boolean> }

const killed = (pid: number | null | undefined): boolean => {
  if (pid === null || pid === undefined) return false
  try {
    return process.kill(pid, 'SIGKILL')
  } catch {
    return false
  }
}

/** Each returns whether there was a target. The engine is last, so that apps are hit at work, not at start. */
const faults: readonly Fault[] = [
  {
    name: 'server',
    strike: async (stage) => {
      await stage.server.kill()
      stage.server = await start(stage)
      return true
    },
  },
  {
    name: 'app',
    strike: async ({ dataDir }) => {
      const engine = await localEnginePid(dataDir)
      const apps = engine === null ? [] : await childrenOf(engine)
      return killed(apps[Math.floor(Math.random() * apps.length)])
    },
  },
  { name: 'socket', strike: async ({ proxy }) => proxy.cut() > 0 },
  { name: 'engine', strike: async ({ dataDir }) => killed(await localEnginePid(dataDir)) },
]

const start = ({ url, dataDir, proxy }: Pick<Stage, 'url' | 'proxy'> & { dataDir?: string }) =>
  startServer({
    ...(dataDir === undefined ? {} : { dataDir }),
    // The engine connects through the proxy, the callers directly.
    args: ['--port', new URL(url).port, '--base-url', `http://127.0.0.1:${proxy.port}`],
    env: { RATE_LIMIT_RUN: '0', RATE_LIMIT_GET_TASK: '0', ENGINE_CPU_WORKERS: '4' },
  })

const open = async (): Promise<Stage> => {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const proxy = await startTcpProxy(port)
  const server = await start({ url, proxy })
  const owner = await signIn(server.dataDir, 'matrix@example.com', 'matrix')
  return { server, proxy, owner, url, dataDir: server.dataDir }
}

const post = (stage: Stage, path: string, body: object) =>
  fetch(`${stage.url}${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${stage.owner.session_token}`,
      'x-team-id': stage.owner.team_id,
      'content-type': 'application/json',
    },
    body: JSON.stringify(body),
  })

type Load = { accepted: Map<string, number>; refused: string[]; stop(): Promise<void> }

/** A steady stream of runs. Only answered runs count as accepted; a dead server answers nothing. */
const startLoad = (stage: Stage, app: string): Load => {
  const load = { accepted: new Map<string, number>(), refused: [] as string[] }
  const pending = new Set<Promise<void>>()
  let n = 0
  let backlog = 0
  let stopped = false
  const watch = async (): Promise<void> => {
    while (!stopped) {
      backlog = await unfinished(stage).catch(() => backlog)
      await sleep(500)
    }
  }
  const watching = watch()
  const run = async (number: number): Promise<void> => {
    const input = { n: number, ms: (number * 37) % 120 }
    const answer = await post(stage, '/run', { app, input }).catch(() => null)
    if (!answer) return
    const text = await answer.text().catch(() => null)
    if (text === null) return
    if (answer.status === 200) load.accepted.set((JSON.parse(text) as { data: Task }).data.id, number)
    else load.refused.push(`${answer.status} ${text}`)
  }
  const timer = setInterval(() => {
    if (backlog > backlogLimit) return
    n += 1
    const running = run(n).finally(() => pending.delete(running))
    pending.add(running)
  }, 1000 / runsPerSecond)
  return {
    ...load,
    stop: async () => {
      clearInterval(timer)
      stopped = true
      await Promise.all([...pending, watching])
    },
  }
}

const list = async (stage: Stage, body: object) => {
  const answer = await post(stage, '/tasks/list', body)
  return ((await answer.json()) as { data: { items: Task[]; total_items: number } }).data
}

const unfinished = async (stage: Stage): Promise<number> => {
  const filters = [{ field: 'status', operator: 'lt', value: completed }]
  return (await list(stage, { limit: 1, filters })).total_items
}

/** Waits until everything is finished, at most until the limit after the last fault; returns the duration. */
const settle = async (stage: Stage, lastFaultAt: number): Promise<number> => {
  while (Date.now() - lastFaultAt < settleLimitMs && (await unfinished(stage)) > 0) await sleep(250)
  return Date.now() - lastFaultAt
}

const strikeAll = async (stage: Stage): Promise<Record<string, number>> => {
  const struck: Record<string, number> = {}
  for (let round = 0; round < rounds; round += 1)
    for (const fault of faults) {
      await sleep(300 + Math.random() * 900)
      // Wait until the target has recovered from the last fault.
      while (!(await fault.strike(stage))) await sleep(50)
      struck[fault.name] = (struck[fault.name] ?? 0) + 1
    }
  return struck
}

/** All violations. `executed` contains the number of every execution, in order. */
const judge = (tasks: readonly Task[], accepted: ReadonlyMap<string, number>, executed: readonly number[]) => {
  const known = new Set(tasks.map((task) => task.id))
  const times = new Map<number, number>()
  for (const n of executed) times.set(n, (times.get(n) ?? 0) + 1)
  const isHonest = ({ input: { n }, output }: Task) => output?.n === n && output.squared === n * n && times.get(n) === 1
  return {
    lost: [...accepted.keys()].filter((id) => !known.has(id)),
    stuck: tasks.filter((task) => task.status < completed),
    faked: tasks.filter((task) => task.status === completed && !isHonest(task)),
    endedTwice: tasks.filter((task) => task.events.filter(({ status }) => status >= completed).length > 1),
    executedTwice: [...times].filter(([, count]) => count > 1),
  }
}

const countOf = (texts: readonly string[]): Record<string, number> => {
  const counts: Record<string, number> = {}
  for (const text of texts) counts[text] = (counts[text] ?? 0) + 1
  return counts
}

it(`${rounds} kills of each kind lose, stick or fake no task`, { timeout: 300_000 + rounds * 60_000 }, async () => {
  const stage = await open()
  try {
    const client = sdk.createClient({
      baseUrl: stage.url,
      getToken: () => stage.owner.session_token,
      headers: { 'X-Team-ID': stage.owner.team_id },
    })
    const app = await deploy(client, { name: 'ledger', files: { 'inference.js': code } })
    const load = startLoad(stage, app.ref)
    const began = Date.now()
    const struck = await strikeAll(stage)
    const lastFaultAt = Date.now()
    await load.stop()
    const settledMs = await settle(stage, lastFaultAt)

    const { items } = await list(stage, { limit: -1 })
    const kept = folderKeptBy(app, { dataDir: stage.dataDir, teamId: stage.owner.team_id })
    const executed = (await readFile(join(kept, 'ledger.txt'), 'utf8')).split('\n').filter(Boolean).map(Number)
    const verdict = judge(items, load.accepted, executed)
    const done = items.filter((task) => task.status === completed)
    const reasons = items.flatMap((task) => (task.status > completed ? [task.error ?? 'no reason'] : []))
    const perSecond = (load.accepted.size / ((lastFaultAt - began) / 1000)).toFixed(1)
    const counts = Object.entries(verdict).map(([name, found]) => `${found.length} ${name}`)
    console.log(
      `kill matrix: ${JSON.stringify(struck)}, ${load.accepted.size} accepted (${perSecond}/s), ${done.length} completed, ${reasons.length} failed, ${counts.join(', ')}, settled ${settledMs} ms after the last fault`,
    )
    console.log(`kill matrix, reasons of failures: ${JSON.stringify(countOf(reasons))}`)
    expect(load.refused).toEqual([])
    expect(verdict).toEqual({ lost: [], stuck: [], faked: [], endedTwice: [], executedTwice: [] })
    expect(done.length).toBeGreaterThan(load.accepted.size / 2)
  } finally {
    await stage.server.remove()
    await stage.proxy.close()
  }
})
