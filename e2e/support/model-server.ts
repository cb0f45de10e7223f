// A model server: streams text, reasoning and tool calls in the common protocol. The last message determines the
// answer, so that a test can control the chat.
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

type ModelMessage = { role: string; content: string | readonly { text?: string }[] }
export type ModelTurn = {
  reasoning?: string
  text?: string
  /** Milliseconds between words. */
  slowMs?: number
  call?: { name: string; arguments: object }
  /** The server refuses the request with this message. */
  refusal?: string
}

export type ModelServer = { url: string; close(): Promise<void> }

const usage = { prompt_tokens: 12, completion_tokens: 3, total_tokens: 15 }

const textOf = ({ content }: ModelMessage): string =>
  typeof content === 'string' ? content : content.map(({ text = '' }) => text).join(' ')

const sendTurn = async (response: ServerResponse, turn: ModelTurn): Promise<void> => {
  const send = (delta: object, finish_reason: string | null = null) =>
    response.write(`data: ${JSON.stringify({ id: 'turn', choices: [{ index: 0, delta, finish_reason }] })}\n\n`)
  if (turn.refusal !== undefined) {
    response.writeHead(400, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ error: { message: turn.refusal } }))
    return
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  if (turn.reasoning) send({ reasoning_content: turn.reasoning })
  for (const word of (turn.text ?? '').split(/(?<= )/)) {
    if (response.destroyed) return
    send({ content: word })
    if (turn.slowMs !== undefined) await sleep(turn.slowMs)
  }
  if (turn.call) {
    const { name, arguments: given } = turn.call
    send({
      tool_calls: [
        { index: 0, id: `${name}-call`, type: 'function', function: { name, arguments: JSON.stringify(given) } },
      ],
    })
  }
  send({}, turn.call ? 'tool_calls' : 'stop')
  response.write(`data: ${JSON.stringify({ id: 'turn', choices: [], usage })}\n\n`)
  response.end('data: [DONE]\n\n')
}

/** The role and text of the last message, and the text of the system message. */
type Speak = (role: string, text: string, system: string) => ModelTurn

export const startModelServer = async (speak: Speak): Promise<ModelServer> => {
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    if (request.url?.endsWith('/models')) {
      response.end(JSON.stringify({ data: [{ id: 'tiny-model' }] }))
      return
    }
    const { messages } = JSON.parse(body) as { messages: ModelMessage[] }
    const last = messages.at(-1)
    const system = messages.find(({ role }) => role === 'system')
    await sendTurn(response, last ? speak(last.role, textOf(last), system ? textOf(system) : '') : {})
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    close: () => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}
