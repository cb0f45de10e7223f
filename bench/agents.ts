// Measures the overhead of the platform for agents, with a model that answers at once: a turn, a turn with a call of an
// app, and the first delta after the model's first byte, compared with the same loop written with the `ai` package in
// memory against the same model. Also turns per second with many concurrent chats. Both sides are warmed up first.
// AGENT_TURNS, AGENT_CHATS and AGENT_WARM_UP set the sizes.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { jsonSchema, stepCountIs, streamText, tool } from 'ai'
import { signIn } from '../e2e/support/operator.ts'
import { startServer } from '../e2e/support/server.ts'
import { median, show } from './support/load.ts'

const turns = Number(process.env.AGENT_TURNS ?? 60)
const chats = Number(process.env.AGENT_CHATS ?? 100)
const warmUp = Number(process.env.AGENT_WARM_UP ?? 150)

/** Time of the model's first byte for the latest request. */
let firstByteAt = 0

type ModelRequest = { messages: { role: string; content: unknown }[] }

const model = createServer(async (request, response) => {
  let body = ''
  for await (const part of request) body += part
  if (request.url?.endsWith('/models')) return void response.end(JSON.stringify({ data: [{ id: 'quick' }] }))
  const last = (JSON.parse(body) as ModelRequest).messages.at(-1)
  const calls = last?.role === 'user' && JSON.stringify(last.content).includes('use the tool')
  const call = { index: 0, id: 'c1', type: 'function', function: { name: 'repeat', arguments: '{"text":"hi"}' } }
  const send = (delta: object, finish_reason: string | null = null) =>
    response.write(`data: ${JSON.stringify({ id: 't', choices: [{ index: 0, delta, finish_reason }] })}\n\n`)
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  firstByteAt = performance.now()
  send(calls ? { tool_calls: [call] } : { content: 'done' })
  send({}, calls ? 'tool_calls' : 'stop')
  response.end('data: [DONE]\n\n')
})
await new Promise<void>((resolve) => model.listen(0, '127.0.0.1', resolve))
const modelUrl = `http://127.0.0.1:${(model.address() as AddressInfo).port}/v1`

const server = await startServer({ env: { LOG_LEVEL: 'warn', RATE_LIMIT_RUN: '0', ALLOW_PRIVATE_HOSTS: '127.0.0.1' } })
const owner = await signIn(server.dataDir, 'bench@example.com', 'bench')
const headers = {
  authorization: `Bearer ${owner.session_token}`,
  'content-type': 'application/json',
  'x-team-id': owner.team_id,
}

const send = async (path: string, body: object, accept = 'application/json'): Promise<Response> => {
  const response = await fetch(`${server.url}${path}`, {
    method: 'POST',
    headers: { ...headers, accept },
    body: JSON.stringify(body),
  })
  if (!response.ok) throw new Error(await response.text())
  return response
}

await send('/secrets', { key: 'OPENAI_BASE_URL', value: modelUrl })
const agent_config = {
  core_app: { ref: 'millrace/openai-chat' },
  tools: [{ name: 'repeat', type: 'app', app: { ref: 'millrace/echo' } }],
}

type Measured = { wholeMs: number; firstDeltaMs: number | null }

/** Sends one message and follows the run to its end. */
const ask = async (text: string): Promise<Measured> => {
  const startedAt = performance.now()
  const response = await send('/agents/run', { agent_config, input: { text }, stream: true }, 'application/x-ndjson')
  let firstDeltaMs: number | null = null
  let last = ''
  const decoder = new TextDecoder()
  for await (const part of response.body ?? []) {
    const words = decoder.decode(part, { stream: true })
    if (firstDeltaMs === null && words.includes('"event":"delta"')) firstDeltaMs = performance.now() - firstByteAt
    last = (last + words).slice(-20_000)
  }
  if (!last.includes('done')) throw new Error(`the run failed: ${last.slice(-500)}`)
  return { wholeMs: performance.now() - startedAt, firstDeltaMs }
}

const provider = createOpenAICompatible({ name: 'bench', baseURL: modelUrl })

/** The reference: the same loop without storage or streaming to other readers. */
const byHand = async (prompt: string): Promise<number> => {
  const startedAt = performance.now()
  const inputSchema = jsonSchema<{ text: string }>({ type: 'object', properties: { text: { type: 'string' } } })
  const repeat = tool({ inputSchema, execute: async ({ text }) => ({ text }) })
  const result = streamText({ model: provider('quick'), prompt, tools: { repeat }, stopWhen: stepCountIs(5) })
  if ((await result.text) !== 'done') throw new Error('the loop failed')
  return performance.now() - startedAt
}

const plain = 'say it'
const withTool = 'use the tool'
for (let round = 0; round < warmUp; round += 1) {
  await ask(withTool)
  await byHand(withTool)
}

const ours = { turn: [] as number[], call: [] as number[], delta: [] as number[] }
const theirs = { turn: [] as number[], call: [] as number[] }
for (let round = 0; round < turns; round += 1) {
  const turn = await ask(plain)
  ours.turn.push(turn.wholeMs)
  if (turn.firstDeltaMs !== null) ours.delta.push(turn.firstDeltaMs)
  ours.call.push((await ask(withTool)).wholeMs)
  theirs.turn.push(await byHand(plain))
  theirs.call.push(await byHand(withTool))
}

const [turn, call] = [median(ours.turn), median(ours.call)]
const [handTurn, handCall] = [median(theirs.turn), median(theirs.call)]
console.log(`a turn, p50:                       ${show(turn)} ms, by hand ${show(handTurn)} ms`)
console.log(`  overhead:                      ${show(turn - handTurn)} ms`)
console.log(`two turns and a call, p50:         ${show(call)} ms, by hand ${show(handCall)} ms`)
console.log(`  overhead of a call of an app:  ${show(call - 2 * turn)} ms`)
if (ours.delta.length > 0) console.log(`first delta after the first byte:  ${show(median(ours.delta))} ms`)

const startedAt = performance.now()
await Promise.all(Array.from({ length: chats }, () => ask(plain)))
const together = chats / ((performance.now() - startedAt) / 1000)
const handStartedAt = performance.now()
await Promise.all(Array.from({ length: chats }, () => byHand(plain)))
const handTogether = chats / ((performance.now() - handStartedAt) / 1000)
console.log(`${chats} chats at once: ${show(together)} turns/s, by hand ${show(handTogether)} turns/s`)

await server.remove()
model.closeAllConnections()
model.close()
process.exit(0)
