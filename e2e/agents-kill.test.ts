// Guarantees: runs of agents survive kills of the server and the engine. No accepted run is lost or stuck, no call
// whose result reached the model is repeated, requests of HTTP tools are sent at most once, and a reader that loses its
// connection ends with the complete transcript, without gaps or duplicates. AGENT_RUNS, AGENT_TURNS and AGENT_KILLS set
// the size (`npm run prove -- agent-kills --size large`: 200 runs of 10 turns, 100 kills).
import { readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { freePort } from '../packages/server/src/testing/tcp-proxy.ts'
import { deploy } from './sdk/deploy.ts'
import { sdk } from './sdk/load.ts'
import { readChat, type SeenMessage } from './support/chat-reader.ts'
import { folderKeptBy, localEnginePid } from './support/engine.ts'
import { doneAgain } from './support/executions.ts'
import { signIn } from './support/operator.ts'
import { startServer } from './support/server.ts'

const runCount = Number(process.env.AGENT_RUNS ?? 6)
const turns = Number(process.env.AGENT_TURNS ?? 4)
const kills = Number(process.env.AGENT_KILLS ?? 3)
const settleLimitMs = Number(process.env.AGENT_SETTLE_MS ?? 60_000)
/** Runs with a stream reader. */
const watched = 10

// Records every execution, in order.
const ledgerCode = `
import { appendFileSync } from 'node:fs'
export class App {
  async run({ run, step }) {
    appendFileSync(process.env.MILLRACE_DATA_DIR + '/ledger.txt', run + ' ' + step + '\\n')
    return { step }
  }
}
`

const tools = ['note', 'send', 'memory_set'] as const

type ModelMessage = { role: string; content: string | { text?: string }[] }

const textOf = ({ content }: ModelMessage): string =>
  typeof content === 'string' ? content : content.map(({ text = '' }) => text).join('')

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  let body = ''
  for await (const part of request) body += part
  return body
}

/** The model and the target of the HTTP tool. The model calls one tool per turn, then finishes. */
const startExternalServices = async () => {
  const sent: string[] = []
  let modelCalls = 0
  const server = createServer(async (request, response) => {
    const body = await bodyOf(request)
    if (request.url === '/send') {
      const { run, step } = JSON.parse(body) as { run: string; step: number }
      sent.push(`${run} ${step}`)
      return void response.end('sent')
    }
    if (request.url?.endsWith('/models')) return void response.end(JSON.stringify({ data: [{ id: 'm' }] }))
    modelCalls += 1
    const { messages } = JSON.parse(body) as { messages: ModelMessage[] }
    const run = textOf(messages.find(({ role }) => role === 'user') ?? { role: '', content: '' })
    const step = messages.filter(({ role }) => role === 'tool').length
    const say = (delta: object, finish_reason: string | null = null) =>
      response.write(`data: ${JSON.stringify({ id: 't', choices: [{ index: 0, delta, finish_reason }] })}\n\n`)
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const isLast = step >= turns - 1
    for (const word of `${run} says ${step}`.split(/(?<= )/)) say({ content: word })
    const given = { run, step, key: `k${step}`, value: run }
    const call = { name: tools[step % tools.length], arguments: JSON.stringify(given) }
    if (!isLast) say({ tool_calls: [{ index: 0, id: `${run}-${step}`, type: 'function', function: call }] })
    say({}, isLast ? 'stop' : 'tool_calls')
    response.end('data: [DONE]\n\n')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  return { url, sent, modelCalls: () => modelCalls, close }
}

const openStage = async () => {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const start = (dataDir?: string) =>
    startServer({
      ...(dataDir === undefined ? {} : { dataDir }),
      args: ['--port', String(port)],
      env: { RATE_LIMIT_RUN: '0', ENGINE_CPU_WORKERS: '4', ALLOW_PRIVATE_HOSTS: '127.0.0.1', CHAT_MIN_BUSY_MS: '0' },
    })
  let server = await start()
  const { dataDir } = server
  const owner = await signIn(dataDir, 'kills@example.com', 'kills')
  const headers = {
    authorization: `Bearer ${owner.session_token}`,
    'x-team-id': owner.team_id,
    'content-type': 'application/json',
  }
  return {
    url,
    headers,
    owner,
    dataDir,
    call: async <T>(route: string, body?: object): Promise<T> => {
      const [method, path] = route.split(' ')
      const answer = await fetch(`${url}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) })
      if (!answer.ok) throw new Error(await answer.text())
      return ((await answer.json()) as { data: T }).data
    },
    killServer: async () => {
      await server.kill()
      server = await start(dataDir)
    },
    killEngine: async () => {
      for (;;) {
        const pid = await localEnginePid(dataDir)
        if (pid !== null) return void process.kill(pid, 'SIGKILL')
        await sleep(50)
      }
    },
    remove: () => server.remove(),
  }
}

type Stage = Awaited<ReturnType<typeof openStage>>
type ExternalServices = Awaited<ReturnType<typeof startExternalServices>>
type SentMessage = { user_message: { chat_id: string } }

const givenAgent = async (stage: Stage, externalServices: ExternalServices, ledgerId: string): Promise<string> => {
  await stage.call('POST /secrets', { key: 'OPENAI_BASE_URL', value: `${externalServices.url}/v1` })
  const input_schema = { type: 'object', properties: { run: { type: 'string' }, step: { type: 'integer' } } }
  const version = {
    core_app: { ref: 'millrace/openai-chat' },
    tools: [
      { name: 'note', type: 'app', app: { id: ledgerId } },
      { name: 'send', type: 'http', http: { url: `${externalServices.url}/send`, input_schema } },
    ],
  }
  return (await stage.call<{ id: string }>('POST /agents', { name: 'survivor', version })).id
}

/** Only answered runs count as accepted; a dead server answers nothing. */
const startRuns = async (stage: Stage, agent_id: string, accepted: string[]): Promise<void> => {
  for (let number = 0; accepted.length < runCount; number += 1) {
    const body = { agent_id, input: { text: `r${number}` } }
    const said = await stage.call<SentMessage>('POST /agents/run', body).catch(() => null)
    if (said) accepted.push(said.user_message.chat_id)
    else await sleep(50)
  }
}

/** Kills server and engine alternately, each after the model was called again. */
const strike = async (stage: Stage, externalServices: ExternalServices): Promise<void> => {
  for (let kill = 0; kill < kills; kill += 1) {
    const before = externalServices.modelCalls()
    for (let waitedMs = 0; externalServices.modelCalls() === before && waitedMs < 20_000; waitedMs += 20)
      await sleep(20)
    await sleep(Math.random() * 600)
    await (kill % 2 === 0 ? stage.killServer() : stage.killEngine())
  }
}

/** Waits while there is progress. A run that has not ended by the limit is stuck. */
const whileUnderWay = async (stage: Stage, externalServices: ExternalServices): Promise<void> => {
  const filters = [{ field: 'status', operator: 'neq', value: 'idle' }]
  const live = async () =>
    Number((await stage.call<{ total_items: number }>('POST /chats/list', { limit: 1, filters })).total_items)
  let seen = ''
  for (let endsAt = 0; ; await sleep(250)) {
    const left = await live()
    if (left === 0) return
    const now = `${left} ${externalServices.modelCalls()} ${externalServices.sent.length}`
    if (now !== seen) endsAt = Date.now() + settleLimitMs
    else if (Date.now() >= endsAt) return
    seen = now
  }
}

type Chat = { id: string; status: string; name: string }
type Message = Omit<SeenMessage, 'content'> & {
  content: { type: string; text?: string; error?: string }[]
  order: number
  tool_invocations: Invocation[]
}
type Invocation = { status: string; result?: string; tool_invocation_id: string; function: { name: string } }

const everyChat = async (stage: Stage): Promise<Chat[]> =>
  (await stage.call<{ items: Chat[] }>('POST /chats/list', { limit: -1 })).items

const messagesOf = async ({ call }: Stage, id: string): Promise<Message[]> =>
  (await call<{ items: Message[] }>(`GET /chats/${id}/messages?limit=100`)).items.sort((a, b) => a.order - b.order)

/** A turn that was lost with three workers in a row ends the run with an error; such a run is not lost. */
const isGivenUp = (message: Message | undefined): boolean =>
  message?.status === 'failed' && message.content.some(({ error = '' }) => error.startsWith('worker_lost'))

/** The faults of a transcript; empty if every turn and call is present exactly once. */
const faultsIn = (run: string, messages: readonly Message[]): string[] => {
  const said = messages.filter(({ role }) => role === 'assistant')
  const answers = isGivenUp(said.at(-1)) ? said.slice(0, -1) : said
  const texts = answers.map(({ content }) => content.map(({ text = '' }) => text).join(''))
  const taken = answers.length < said.length ? answers.length : turns
  const expected = Array.from({ length: taken }, (_, step) => `${run} says ${step}`)
  const calls = answers.flatMap((message) => message.tool_invocations)
  const ids = calls.map((call) => call.tool_invocation_id)
  const wanted = expected.slice(0, turns - 1).map((_, step) => `${run}-${step}`)
  return [
    ...(JSON.stringify(texts) === JSON.stringify(expected) ? [] : [`${run} said ${JSON.stringify(texts)}`]),
    ...(JSON.stringify(ids) === JSON.stringify(wanted) ? [] : [`${run} called ${ids}`]),
    ...calls
      .filter(({ status }) => status !== 'completed' && status !== 'failed')
      .map(({ status }) => `${run} ${status}`),
  ]
}

/** A message as a reader sees it. */
const textOfMessage = (message: SeenMessage | undefined): string =>
  JSON.stringify([message?.role, message?.status, message?.content.map(({ type, text }) => [type, text])])

const twice = (lines: readonly string[]): string[] => lines.filter((line, index) => lines.indexOf(line) !== index)

it(`${kills} kills lose no run of an agent and make no call again`, { timeout: 240_000 + kills * 60_000 }, async () => {
  const externalServices = await startExternalServices()
  const stage = await openStage()
  try {
    const { url: baseUrl, owner } = stage
    const client = sdk.createClient({
      baseUrl,
      getToken: () => owner.session_token,
      headers: { 'X-Team-ID': owner.team_id },
    })
    const app = await deploy(client, { name: 'ledger', files: { 'inference.js': ledgerCode } })
    const agentId = await givenAgent(stage, externalServices, app.id)
    const accepted: string[] = []
    const readers = new Map<string, Promise<Map<string, SeenMessage>>>()
    const starting = startRuns(stage, agentId, accepted)
    const striking = strike(stage, externalServices)
    for (let isDone = false; !isDone; await sleep(20)) {
      isDone = await Promise.race([Promise.all([starting, striking]).then(() => true), sleep(100).then(() => false)])
      for (const id of accepted.slice(0, watched))
        if (!readers.has(id))
          readers.set(
            id,
            readChat(() => baseUrl, stage.headers, id),
          )
    }
    await whileUnderWay(stage, externalServices)
    const chats = await everyChat(stage)
    const known = new Set(chats.map(({ id }) => id))
    const transcripts = new Map<string, Message[]>()
    for (const { id } of chats) transcripts.set(id, await messagesOf(stage, id))
    const stuck = chats.filter(({ status }) => status !== 'idle')
    const seen = stuck.length > 0 ? [] : await Promise.all([...readers.values()])
    const stored = new Map([...transcripts.values()].flat().map((message) => [message.id, message]))
    const place = { dataDir: stage.dataDir, teamId: owner.team_id }
    const ledger = await readFile(join(folderKeptBy(app, place), 'ledger.txt'), 'utf8').catch(() => '')
    const noted = ledger.split('\n').filter(Boolean)
    const verdict = {
      lost: accepted.filter((id) => !known.has(id)),
      stuck: stuck.map(({ name }) => name),
      faults: chats.flatMap(({ id, name }) => faultsIn(name, transcripts.get(id) ?? [])),
      madeAgain: doneAgain(noted),
      sentTwice: twice(externalServices.sent),
      misread: seen.flatMap((messages) =>
        [...messages.values()]
          .filter((message) => textOfMessage(message) !== textOfMessage(stored.get(message.id)))
          .map((message) => `${textOfMessage(message)} instead of ${textOfMessage(stored.get(message.id))}`),
      ),
      missed: seen.flatMap((messages, index) =>
        (transcripts.get([...readers.keys()][index] ?? '') ?? [])
          .filter(({ id }) => !messages.has(id))
          .map((message) => textOfMessage(message)),
      ),
    }
    const givenUp = [...transcripts.values()].filter((messages) => isGivenUp(messages.at(-1)))
    const counts = Object.entries(verdict).map(([name, found]) => `${found.length} ${name}`)
    console.log(
      `agent kills: ${kills} kills, ${chats.length} runs of ${turns} turns, ${externalServices.modelCalls()} model calls, ${noted.length} executions, ${externalServices.sent.length} requests, ${seen.length} readers, ${givenUp.length} given up after three losses of a turn, ${counts.join(', ')}`,
    )
    expect(Object.fromEntries(Object.entries(verdict).filter(([, found]) => found.length > 0))).toEqual({})
  } finally {
    await stage.remove()
    externalServices.close()
  }
})
