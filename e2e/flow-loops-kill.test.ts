// Guarantees: loops, waits, sub-flows and error outputs survive kills of the server: the results of a parallel loop are
// complete, in order and once each, a wait ends after a restart, and a handled failure completes its run. LOOP_KILLS and
// LOOP_ITEMS set the size (`npm run prove -- loop-kills --size large`: 100 kills, 1,000 items).
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { deploy } from './sdk/deploy.ts'
import { sdk } from './sdk/load.ts'
import { folderKeptBy } from './support/engine.ts'
import { callStage, type FlowStage, killServer, openFlowStage } from './support/flow-stage.ts'
import { ledgerCode } from './support/ledger-flow.ts'

const kills = Number(process.env.LOOP_KILLS ?? 2)
const itemCount = Number(process.env.LOOP_ITEMS ?? 100)
const waitMs = 3_000
const settleLimitMs = 240_000

const from = (nodeId: string, key = '', handle?: string) => ({ connection: { nodeId, key, ...(handle && { handle }) } })

type Node = { type: string; data?: object; inputs?: Record<string, unknown> }

const givenFlow = async (stage: FlowStage, nodes: Record<string, Node>): Promise<string> => {
  const flow = await callStage(stage, 'POST /flows', {})
  const entries = Object.entries(nodes)
  await callStage(stage, `POST /flows/${flow.id}`, {
    nodes: entries.map(([id, { type }]) => ({ id, type, position: { x: 0, y: 0 } })),
    node_data: Object.fromEntries(entries.map(([id, { data = {} }]) => [id, data])),
    input: Object.fromEntries(entries.flatMap(([id, { inputs }]) => (inputs ? [[id, inputs]] : []))),
  })
  await callStage(stage, `POST /flows/${flow.id}/publish`)
  return flow.id
}

const items = Array.from({ length: itemCount }, (_, index) => index)

const loopNode = (appId: string): Node => ({
  type: 'appNode',
  data: {
    app_id: appId,
    for_each: { input: 'step', parallel: 10 },
    retry: { attempts: 50, backoff_ms: 100, factor: 1 },
  },
  inputs: { run: 'loop', step: items, n: 0 },
})

/** Runs by name, each with the output that it must have. */
const startRuns = async (stage: FlowStage, appId: string) => {
  const failing = await givenFlow(stage, { bad: { type: 'utility', data: { utility: { expression: 'input.gone' } } } })
  const flows = {
    loop: await givenFlow(stage, {
      loop: loopNode(appId),
      out: { type: 'outputNode', inputs: { results: from('loop') } },
    }),
    wait: await givenFlow(stage, {
      pause: { type: 'wait', data: { wait: { mode: 'duration', duration_ms: waitMs } } },
      inner: { type: 'flow', data: { flow: failing, on_error: 'branch' }, inputs: { after: from('pause') } },
      out: { type: 'outputNode', inputs: { code: from('inner', 'code', 'error') } },
    }),
  }
  const expected = {
    loop: { results: items.map((step) => ({ run: 'loop', step, n: 1 })) },
    wait: { code: 'task_failed' },
  }
  const run = (flow: string) => callStage(stage, 'POST /flowruns', { flow, input: {} })
  return [
    { id: (await run(flows.loop)).id, output: expected.loop },
    { id: (await run(flows.wait)).id, output: expected.wait },
  ]
}

const runOf = async (stage: FlowStage, id: string) =>
  (await callStage(stage, `GET /flowruns/${id}`)) as unknown as { status: number; output: unknown; error?: string }

it(`${kills} kills change no result of a loop, a wait or an error output`, {
  timeout: 420_000 + kills * 20_000,
}, async () => {
  const stage = await openFlowStage('loops@example.com', 'loops')
  try {
    const client = sdk.createClient({
      baseUrl: `http://127.0.0.1:${stage.port}`,
      getToken: () => stage.owner.session_token,
      headers: { 'X-Team-ID': stage.owner.team_id },
    })
    const app = await deploy(client, { name: 'ledger', files: { 'inference.js': ledgerCode } })
    const runs = await startRuns(stage, app.id)
    for (let kill = 0; kill < kills; kill += 1) {
      await sleep(300 + Math.random() * 1_200)
      await killServer(stage)
    }
    const lastKillAt = Date.now()
    for (const { id, output } of runs) {
      let run = await runOf(stage, id)
      for (; run.status < 3 && Date.now() - lastKillAt < settleLimitMs; run = await runOf(stage, id)) await sleep(250)
      expect(run).toMatchObject({ status: 3, output })
    }
    const ledger = join(folderKeptBy(app, { dataDir: stage.dataDir, teamId: stage.owner.team_id }), 'ledger.txt')
    const executions = (await readFile(ledger, 'utf8')).split('\n').filter(Boolean)
    console.log(
      `loop kills: ${kills} kills, ${itemCount} items, ${executions.length} executions, settled ${Date.now() - lastKillAt} ms after the last kill`,
    )
    expect(new Set(executions)).toEqual(new Set(items.map((item) => `loop ${item}`)))
  } finally {
    await stage.server.remove()
  }
})
