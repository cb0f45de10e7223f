// Guarantees: flow runs survive kills of the server and the engine: no accepted run is lost or stuck, and no finished
// step is repeated; an acknowledged webhook has exactly one run, however often it was sent. FLOW_KILLS and FLOW_RUNS
// set the size (`npm run prove -- flow-kills --size large`: 100 kills, 200 runs).
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { deploy } from './sdk/deploy.ts'
import { sdk } from './sdk/load.ts'
import { folderKeptBy, localEnginePid } from './support/engine.ts'
import { doneAgain } from './support/executions.ts'
import { callStage as call, type FlowStage, killServer, openFlowStage, startStageServer } from './support/flow-stage.ts'
import { ledgerCode, ledgerFlow } from './support/ledger-flow.ts'

const kills = Number(process.env.FLOW_KILLS ?? 2)
const runCount = Number(process.env.FLOW_RUNS ?? 8)
const steps = 20
/** For the flow behind the webhooks. */
const hookSteps = 3
const hookPauseMs = 80
/** Long enough for a killed engine to return on a busy machine. */
const workLimitMs = 20_000
const settleLimitMs = 180_000

type Stage = FlowStage & { ledger: string }

const open = async (): Promise<Stage> => ({ ...(await openFlowStage('kills@example.com', 'kills')), ledger: '' })

const givenFlow = async (stage: Stage, appId: string, steps: number) => {
  const flow = await call(stage, 'POST /flows', {})
  await call(stage, `POST /flows/${flow.id}`, ledgerFlow(appId, steps))
  await call(stage, `POST /flows/${flow.id}/publish`)
  return flow.id
}

/** Only answered runs count as accepted; a dead server answers nothing. */
const startRuns = async (stage: Stage, flowId: string, accepted: Set<string>): Promise<void> => {
  for (let number = 0; accepted.size < runCount; number += 1) {
    const input = { run: `r${number}`, n: 0 }
    const run = await call(stage, 'POST /flowruns', { flow: flowId, input }).catch(() => null)
    if (run) accepted.add(run.id)
    else await sleep(50)
  }
}

/** Sends each webhook until it is answered, as providers do, then the next, until stopped. */
const sendHooks = async (stage: Stage, triggerId: string, acknowledged: Set<string>, isStopped: () => boolean) => {
  let sends = 0
  for (let number = 0; !isStopped(); number += 1) {
    const run = `h${number}`
    const deliver = () =>
      fetch(`http://127.0.0.1:${stage.port}/triggers/${triggerId}/hook`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'webhook-id': run },
        body: JSON.stringify({ run, n: 0 }),
      }).then(
        (answer) => answer.status === 200,
        () => false,
      )
    for (sends += 1; !(await deliver()); sends += 1) await sleep(50)
    acknowledged.add(run)
    await sleep(hookPauseMs)
  }
  return sends
}

type Run = {
  id: string
  flow_id: string
  status: number
  error?: string
  output: { n: number } | null
  input: { run: string }
}

const fields = ['flow_id', 'status', 'error', 'output', 'input']

const listRuns = async (stage: Stage): Promise<Run[]> => {
  const page = await call(stage, 'POST /flowruns/list', { limit: -1, fields })
  return page.items as unknown as Run[]
}

/** Polled until the last runs end; queries only the count, to keep the load small. */
const countLive = async (stage: Stage): Promise<number> => {
  const filters = [{ field: 'status', operator: 'lt', value: 3 }]
  return Number((await call(stage, 'POST /flowruns/list', { limit: 1, fields: ['id'], filters })).total_items)
}

const killEngine = async ({ dataDir }: Stage): Promise<void> => {
  for (;;) {
    const pid = await localEnginePid(dataDir)
    if (pid !== null) return void process.kill(pid, 'SIGKILL')
    await sleep(50)
  }
}

const executionsIn = async ({ ledger }: Stage): Promise<string[]> =>
  (await readFile(ledger, 'utf8').catch(() => '')).split('\n').filter(Boolean)

/** Waits until a step was executed since the last kill. */
const untilWorking = async (stage: Stage): Promise<void> => {
  const before = (await executionsIn(stage)).length
  for (const sinceMs = Date.now(); Date.now() - sinceMs < workLimitMs; await sleep(20))
    if ((await executionsIn(stage)).length > before) return
}

/**
 * Kills come in groups of four, alternating server and engine: two as soon as the server is ready, while others are
 * still restarting, and two during work.
 */
const untilNextKill = async (stage: Stage, kill: number): Promise<void> => {
  if (kill % 4 >= 2) await untilWorking(stage)
  await sleep(300 + Math.random() * 1_200)
}

it(`${kills} kills lose no run and repeat no step`, { timeout: 300_000 + kills * 20_000 }, async () => {
  const stage = await open()
  try {
    const client = sdk.createClient({
      baseUrl: `http://127.0.0.1:${stage.port}`,
      getToken: () => stage.owner.session_token,
      headers: { 'X-Team-ID': stage.owner.team_id },
    })
    const app = await deploy(client, { name: 'ledger', files: { 'inference.js': ledgerCode } })
    const place = { dataDir: stage.dataDir, teamId: stage.owner.team_id }
    stage.ledger = join(folderKeptBy(app, place), 'ledger.txt')
    const flowId = await givenFlow(stage, app.id, steps)
    const hookFlowId = await givenFlow(stage, app.id, hookSteps)
    const trigger = await call(stage, 'POST /triggers', {
      name: 'Stream',
      type: 'webhook',
      action: 'run_flow',
      flow_id: hookFlowId,
    })
    const accepted = new Set<string>()
    const starting = startRuns(stage, flowId, accepted)
    const hooks = new Set<string>()
    let isKilling = true
    const sending = sendHooks(stage, trigger.id, hooks, () => !isKilling)
    const struck = { server: 0, engine: 0 }
    for (let kill = 0; kill < kills; kill += 1) {
      await untilNextKill(stage, kill)
      if (kill % 2 === 0) await killServer(stage)
      else await killEngine(stage)
      struck[kill % 2 === 0 ? 'server' : 'engine'] += 1
    }
    const lastKillAt = Date.now()
    isKilling = false
    const [sends] = await Promise.all([sending, starting])
    while ((await countLive(stage)) > 0 && Date.now() - lastKillAt < settleLimitMs) await sleep(250)
    const settledMs = Date.now() - lastKillAt
    const runs = await listRuns(stage)
    const executions = await executionsIn(stage)
    const known = new Set(runs.map((run) => run.id))
    const hooked = runs.filter((run) => run.flow_id === hookFlowId).map((run) => run.input.run)
    const expected = (run: Run) => (run.flow_id === hookFlowId ? hookSteps : steps)
    const verdict = {
      lost: [...accepted].filter((id) => !known.has(id)),
      stuck: runs.filter((run) => run.status < 3),
      failed: runs.filter((run) => run.status > 3),
      wrong: runs.filter((run) => run.status === 3 && run.output?.n !== expected(run)),
      doneAgain: doneAgain(executions),
      hooksLost: [...hooks].filter((run) => !hooked.includes(run)),
      hooksTwice: hooked.filter((run, index) => hooked.indexOf(run) !== index),
    }
    const counts = Object.entries(verdict).map(([name, found]) => `${found.length} ${name}`)
    console.log(
      `flow kills: ${JSON.stringify(struck)}, ${accepted.size} runs of ${steps} steps accepted, ${hooks.size} webhooks acknowledged in ${sends} sends, ${executions.length} executions, ${counts.join(', ')}, settled ${settledMs} ms after the last kill`,
    )
    expect(Object.fromEntries(Object.entries(verdict).filter(([, found]) => found.length > 0))).toEqual({})
    expect(hooks.size).toBeGreaterThan(0)
  } finally {
    await stage.server.remove()
  }
})

it('a server killed while recording its engine does not prevent the next one from starting one', async () => {
  const stage = await open()
  try {
    await killEngine(stage)
    await stage.server.kill()
    await writeFile(join(stage.dataDir, 'engine', 'engine.pid'), '')
    stage.server = await startStageServer(stage.port, stage.dataDir)
    while ((await localEnginePid(stage.dataDir)) === null) await sleep(50)
  } finally {
    await stage.server.remove()
  }
})
