// A client of the Model Context Protocol over the standard streams of a child process, as small as this use needs it: the
// published client would add some ninety packages to every connector.

import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

const protocolVersion = '2025-06-18'
const startMs = 60_000
const maxErrorLines = 20
const maxPages = 50

/** Starts the server and completes the handshake. `onEnd` is called when the process has ended. */
export async function connect(command, { env, cwd, onEnd }) {
  const child = spawn(process.execPath, command, { cwd, env, stdio: ['pipe', 'pipe', 'pipe'] })
  const waiting = new Map()
  const lastLines = []
  let lastId = 0
  let ended

  const fail = (reason) => {
    if (ended) return
    ended = new Error([reason, ...lastLines].join('\n'))
    for (const { reject } of waiting.values()) reject(ended)
    waiting.clear()
    onEnd()
  }
  const send = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  const request = (method, params, signal) =>
    new Promise((resolve, reject) => {
      if (ended) return reject(ended)
      const id = ++lastId
      const stop = () => {
        if (!waiting.delete(id)) return
        send({ method: 'notifications/cancelled', params: { requestId: id } })
        reject(signal.reason)
      }
      waiting.set(id, { resolve, reject })
      signal?.addEventListener('abort', stop, { once: true })
      send({ id, method, params })
    })
  const receive = (line) => {
    const message = parsed(line)
    // Some servers print text that is not part of the protocol.
    if (message === undefined) return console.log(line)
    if (message.method !== undefined) {
      if (message.id === undefined) return
      const answer = message.method === 'ping' ? { result: {} } : { error: { code: -32601, message: 'Not supported' } }
      return send({ id: message.id, ...answer })
    }
    const call = waiting.get(message.id)
    waiting.delete(message.id)
    if (message.error) call?.reject(new Error(String(message.error.message ?? 'The tool failed').slice(0, 4_000)))
    else call?.resolve(message.result ?? {})
  }

  createInterface({ input: child.stdout }).on('line', receive)
  createInterface({ input: child.stderr }).on('line', (line) => {
    console.error(line)
    lastLines.push(line.slice(0, 500))
    if (lastLines.length > maxErrorLines) lastLines.shift()
  })
  child.stdin.on('error', () => {})
  child.once('error', (error) => fail(`The MCP server could not be started: ${error.message}`))
  child.once('close', (code, signal) => fail(`The MCP server ended (${signal ?? `exit code ${code}`})`))

  const close = () => child.kill()
  const tooLong = setTimeout(() => {
    fail(`The MCP server did not answer on its standard streams within ${startMs / 1_000} seconds`)
    close()
  }, startMs)
  try {
    const clientInfo = { name: 'millrace', version: '1.0.0' }
    const { serverInfo } = await request('initialize', { protocolVersion, capabilities: {}, clientInfo })
    send({ method: 'notifications/initialized' })
    return { request, close, serverInfo }
  } finally {
    clearTimeout(tooLong)
  }
}

const parsed = (line) => {
  try {
    const message = JSON.parse(line)
    return message?.jsonrpc === '2.0' ? message : undefined
  } catch {
    return undefined
  }
}

export async function listTools({ request }) {
  const tools = []
  let cursor
  for (let page = 0; page < maxPages; page += 1) {
    const answer = await request('tools/list', cursor === undefined ? {} : { cursor })
    tools.push(...(answer.tools ?? []))
    cursor = answer.nextCursor
    if (!cursor) return tools
  }
  throw new Error(`The MCP server lists its tools on more than ${maxPages} pages`)
}
