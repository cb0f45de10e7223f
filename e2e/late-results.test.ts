// Guarantees: a result that arrives after its task was given up changes nothing. An engine is frozen while its apps
// finish; the server gives the tasks up; the engine resumes, reports success, and is rejected every time. LATE_RESULTS
// sets how many results arrive late. LATE_RESULTS_LEASE=engine waits six minutes until the server gives a silent engine
// up; otherwise the tasks are canceled, which the server completes alone after a few seconds.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { freePort } from '../packages/server/src/testing/tcp-proxy.ts'
import { type Deployed, deploy } from './sdk/deploy.ts'
import { type Guest, startGuest } from './sdk/guest.ts'
import { type EngineProcess, startEngineProcess } from './support/engine.ts'
import { type EngineCable, startEngineCable } from './support/engine-cable.ts'

const wanted = Number(process.env.LATE_RESULTS ?? 4)
const lease = process.env.LATE_RESULTS_LEASE === 'engine' ? 'engine' : 'cancel'
/** The engine's lease is long, so there is only one round. */
const workers = lease === 'engine' ? wanted : Math.min(wanted, 4)

/** Waits for a file in its own folder. */
const code = `
import { existsSync } from 'node:fs'
export class App {
  async run({ gate }) {
    while (!existsSync(process.env.MILLRACE_DATA_DIR + '/' + gate)) await new Promise((next) => setTimeout(next, 20))
    return { through: gate }
  }
}
`

const running = 7
const completed = 10
const givenUp = lease === 'engine' ? { status: 11, error: /^worker_lost/ } : { status: 12, error: undefined }

type Task = { id: string; status: number; error?: string; output: unknown; events: { status: number }[] }
type Stage = { guest: Guest; engine: EngineProcess; cable: EngineCable; app: Deployed }

const taskOf = async ({ guest }: Stage, id: string) => (await guest.client.getTask(id)).data as Task

const until = async (stage: Stage, ids: readonly string[], done: (task: Task) => boolean): Promise<Task[]> => {
  for (;;) {
    const tasks = await Promise.all(ids.map((id) => taskOf(stage, id)))
    if (tasks.every(done)) return tasks
    await sleep(100)
  }
}

const giveUp = async ({ guest, cable }: Stage, ids: readonly string[]): Promise<void> => {
  if (lease === 'engine') return
  // The cancelation must not reach the engine.
  cable.cut()
  await Promise.all(ids.map((id) => guest.call(`POST /tasks/${id}/cancel`, { timeout: 100 })))
}

/** One freeze; returns the tasks that were given up, as they were before the engine resumed. */
const freeze = async (stage: Stage, count: number, gate: string): Promise<Task[]> => {
  const request = { app: stage.app.ref, infra: 'private', input: { gate } }
  const started = await Promise.all(
    Array.from({ length: count }, () => stage.guest.client.run(request as never, { wait: false })),
  )
  const ids = (started as unknown as Task[]).map((task) => task.id)
  const busy = await until(stage, ids, (task) => task.status >= running)
  expect(busy.map((task) => task.status)).toEqual(ids.map(() => running))
  stage.engine.signal('SIGSTOP')
  await writeFile(join(stage.engine.dataOf(stage.app, stage.guest.owner.team_id), gate), '')
  await giveUp(stage, ids)
  const ended = await until(stage, ids, (task) => task.status >= completed)
  stage.engine.signal('SIGCONT')
  for (const id of ids) await answered(stage, id)
  return ended
}

/** Waits until the engine's report was answered. */
const answered = async ({ cable }: Stage, id: string): Promise<void> => {
  const said = (from: string, type: string) =>
    cable.frames.some((frame) => frame.from === from && frame.type === type && frame.taskId === id)
  while (!said('engine', 'task_completed') || !said('server', 'task_ack')) await sleep(50)
}

const storyOf = (task: Task | undefined) => JSON.stringify([task?.status, task?.error, task?.output, task?.events])

const open = async (): Promise<Stage> => {
  const port = await freePort()
  const cable = await startEngineCable(`http://127.0.0.1:${port}`)
  const guest = await startGuest({
    args: ['--port', String(port), '--base-url', cable.url],
    env: { RATE_LIMIT_RUN: '0', RATE_LIMIT_GET_TASK: '0' },
  })
  const engine = await startEngineProcess({
    api_url: cable.url,
    api_key: guest.apiKey,
    name: 'freezer',
    cpuWorkers: workers,
  })
  const app = await deploy(guest.person, { name: 'waits', files: { 'inference.js': code } })
  return { guest, cable, engine, app }
}

it(`${wanted} late results are rejected`, { timeout: 540_000 + wanted * 10_000 }, async () => {
  const stage = await open()
  const { guest, engine, cable } = stage
  try {
    while (!engine.output().includes('connected')) await sleep(50)
    const before: Task[] = []
    while (before.length < wanted)
      before.push(...(await freeze(stage, Math.min(workers, wanted - before.length), `gate-${before.length}`)))
    const after = await Promise.all(before.map(({ id }) => taskOf(stage, id)))
    const refused = before.filter(({ id }) =>
      cable.frames.some((frame) => frame.type === 'task_force_cancel' && frame.taskId === id),
    )
    const changed = after.filter((task, index) => storyOf(task) !== storyOf(before[index]))
    console.log(
      `late results (${lease} lease): ${before.length} sent, ${refused.length} refused, ${changed.length} tasks changed by them`,
    )
    for (const task of before) {
      expect(task).toMatchObject({ status: givenUp.status, output: null })
      if (givenUp.error) expect(task.error).toMatch(givenUp.error)
    }
    expect(changed).toEqual([])
    expect(refused).toHaveLength(wanted)
    // The engine that was given up works again.
    const again = await guest.client.run({ app: 'millrace/echo', infra: 'private', input: { back: true } } as never)
    expect(again).toMatchObject({ status: completed, output: { back: true } })
  } finally {
    await engine.remove()
    await cable.close()
    await guest.remove()
  }
})
