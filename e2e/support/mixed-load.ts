// A mixed load through the balancer: runs, flows, webhooks, agents, and streams that are read from other servers. Every
// request is repeated until it is acknowledged, and acknowledgements are recorded for the final check.
import { setTimeout as sleep } from 'node:timers/promises'
import { Agent, fetch } from 'undici'
import { deploy } from '../sdk/deploy.ts'
import { sdk } from '../sdk/load.ts'
import { readChat, type SeenMessage } from './chat-reader.ts'
import type { Fleet } from './fleet.ts'
import { ledgerCode, ledgerFlow } from './ledger-flow.ts'
import { startModelServer } from './model-server.ts'
import { readToTheEnd, type Transcript } from './stream-reader.ts'

export const flowSteps = 3
export const countTo = 6
const completed = 10
const maxConcurrent = 30
/** Clients close idle connections before the server does, so that no request hits a closing connection. */
const dispatcher = new Agent({ keepAliveTimeout: 1_000, keepAliveMaxTimeout: 1_000 })

export type Kind = 'run' | 'flow' | 'hook' | 'chat' | 'stream' | 'read'

export type Acknowledged = {
  /** Name of the request, and the acknowledged id. */
  readonly run: Map<string, string>
  readonly flow: Map<string, string>
  readonly hook: Map<string, string>
  readonly chat: Map<string, string>
  readonly stream: Map<string, string>
  readonly transcripts: Map<string, Transcript>
  readonly chatsSeen: Map<string, Map<string, SeenMessage>>
}

export type MixedLoad = {
  readonly acknowledged: Acknowledged
  /** Unexpected replies and failed connections since `countRefusals`. */
  readonly refused: string[]
  countRefusals(counts: boolean): void
  /** Number of acknowledgements so far. */
  count(): number
  /** Stops new requests; resolves when every reader has finished. */
  stop(): Promise<void>
}

type Targets = { app: string; flow: string; hook: string; agent: string }

/** A turn that calls the tool, then one that repeats its result. */
const openModel = () =>
  startModelServer((role, text) =>
    role === 'tool'
      ? { text: 'noted and done' }
      : { text: 'I note it', call: { name: 'note', arguments: { run: text.trim(), step: 0 } } },
  )

const setUp = async ({ balancer, headers, owner }: Fleet, modelUrl: string): Promise<Targets> => {
  const call = async (route: string, body: object = {}): Promise<{ id: string }> => {
    const [method, path] = route.split(' ')
    const answer = await fetch(`${balancer.url}${path}`, { method, headers, body: JSON.stringify(body) })
    if (!answer.ok) throw new Error(`${route}: ${await answer.text()}`)
    return ((await answer.json()) as { data: { id: string } }).data
  }
  const client = sdk.createClient({
    baseUrl: balancer.url,
    getToken: () => owner.session_token,
    headers: { 'X-Team-ID': owner.team_id },
  })
  const { id: app } = await deploy(client, { name: 'ledger', files: { 'inference.js': ledgerCode } })
  const { id: flow } = await call('POST /flows')
  await call(`POST /flows/${flow}`, ledgerFlow(app, flowSteps))
  await call(`POST /flows/${flow}/publish`)
  const hook = await call('POST /triggers', { name: 'Hook', type: 'webhook', action: 'run_flow', flow_id: flow })
  await call('POST /secrets', { key: 'OPENAI_BASE_URL', value: modelUrl })
  const version = {
    core_app: { ref: 'millrace/openai-chat' },
    tools: [{ name: 'note', type: 'app', app: { id: app } }],
  }
  const agent = await call('POST /agents', { name: 'scribe', version })
  return { app, flow, hook: hook.id, agent: agent.id }
}

type Answered = { id?: string; user_message?: { chat_id: string } }

const requests = (targets: Targets): Record<Kind, (name: string) => [route: string, body?: object]> => ({
  run: (name) => ['POST /run', { app_id: targets.app, input: { run: name, step: 0 } }],
  flow: (name) => ['POST /flowruns', { flow: targets.flow, input: { run: name, n: 0 } }],
  hook: (name) => [`POST /triggers/${targets.hook}/hook`, { run: name, n: 0 }],
  chat: (name) => ['POST /agents/run', { agent_id: targets.agent, input: { text: name } }],
  stream: (name) => [
    'POST /run',
    // Every other one uses the additional engine of the workspace.
    {
      app: 'millrace/echo',
      function: 'count',
      input: { to: countTo, delay_ms: 60 },
      ...(Number(name.slice(1)) % 2 === 0 && { infra: 'private' }),
    },
  ],
  read: () => ['GET /me'],
})

/** Pause between requests of each kind. */
export type Pace = Readonly<Record<Kind, number>>

export const startMixedLoad = async (fleet: Fleet, pace: Pace): Promise<MixedLoad> => {
  const { balancer, members, headers } = fleet
  const model = await openModel()
  const ask = requests(await setUp(fleet, model.url))
  const acknowledged: Acknowledged = {
    run: new Map(),
    flow: new Map(),
    hook: new Map(),
    chat: new Map(),
    stream: new Map(),
    transcripts: new Map(),
    chatsSeen: new Map(),
  }
  const refused: string[] = []
  let countsRefusals = false
  let stopped = false
  const readers: Promise<void>[] = []

  const once = async (kind: Kind, name: string): Promise<Answered> => {
    const [route, body] = ask[kind](name)
    const [method, path] = route.split(' ')
    for (;;) {
      const counted = countsRefusals
      try {
        const answer = await fetch(`${balancer.url}${path}`, {
          method,
          headers: { ...headers, 'idempotency-key': name, 'webhook-id': name },
          signal: AbortSignal.timeout(30_000),
          dispatcher,
          ...(body && { body: JSON.stringify(body) }),
        })
        const text = await answer.text()
        if (answer.ok) return (JSON.parse(text) as { data: Answered }).data
        if (counted) refused.push(`${route} ${answer.status} ${text.slice(0, 300)}`)
      } catch (error) {
        if (counted) refused.push(`${route} ${String(error)} ${String((error as Error).cause ?? '')}`)
      }
      await sleep(100)
    }
  }

  /** A running server, a different one each time. */
  const nextServerUrl = (): string => {
    const up = members.filter(({ isUp }) => isUp)
    return up[Math.floor(Math.random() * up.length)]?.url ?? balancer.url
  }

  const follow = async (kind: Kind, name: string, id: string): Promise<void> => {
    if (kind === 'chat') acknowledged.chatsSeen.set(id, await readChat(nextServerUrl, headers, id))
    if (kind !== 'stream') return
    const url = () => `${nextServerUrl()}/tasks/${id}/stream`
    const transcript = await readToTheEnd({ url, headers, encoding: 'sse', breakChance: 0.1, serversChange: true })
    acknowledged.transcripts.set(name, transcript)
  }

  const keepAsking = async (kind: Kind): Promise<void> => {
    for (let number = 0; !stopped; number += 1) {
      while (isCrowded && kind !== 'read' && !stopped) await sleep(50)
      const name = `${kind[0]}${number}`
      const { id, user_message } = await once(kind, name)
      if (kind !== 'read') {
        const known = user_message?.chat_id ?? id ?? name
        acknowledged[kind].set(name, known)
        readers.push(follow(kind, name, known))
      }
      await sleep(pace[kind])
    }
  }

  /** Backpressure: no new requests while this much work is open. */
  let isCrowded = false
  const watch = async (): Promise<void> => {
    while (!stopped) {
      const filters = [{ field: 'status', operator: 'lt', value: completed }]
      const body = JSON.stringify({ limit: 1, fields: ['id'], filters })
      const signal = AbortSignal.timeout(5_000)
      const underWay = await fetch(`${balancer.url}/tasks/list`, { method: 'POST', headers, body, signal })
        .then(async (answer) => ((await answer.json()) as { data: { total_items: number } }).data.total_items)
        .catch(() => 0)
      isCrowded = underWay > maxConcurrent
      await sleep(250)
    }
  }

  const watching = watch()
  const asking = (Object.keys(pace) as Kind[]).map(keepAsking)
  return {
    acknowledged,
    refused,
    countRefusals: (counts) => {
      countsRefusals = counts
    },
    count: () =>
      (['run', 'flow', 'hook', 'chat', 'stream'] as const).reduce((sum, kind) => sum + acknowledged[kind].size, 0),
    stop: async () => {
      stopped = true
      await Promise.all([...asking, watching])
      await Promise.all(readers)
      await model.close()
    },
  }
}
