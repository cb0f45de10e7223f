// A server with fixed responses that records its requests, for tests of commands.
import type { IncomingHttpHeaders } from 'node:http'
import type { Command } from '../command.ts'
import { runProgram } from '../program.ts'
import type { Shell } from '../shell.ts'
import { serve } from './http-server.ts'
import { createShell } from './shell.ts'

export type RecordedRequest = { readonly route: string; readonly headers: IncomingHttpHeaders; readonly body: unknown }
/** `data` by route; other routes answer 404. */
export type Answers = Readonly<Record<string, unknown>>

const listen = async (answers: Answers) => {
  const requests: RecordedRequest[] = []
  const server = await serve(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const route = `${request.method} ${decodeURIComponent(request.url ?? '')}`
    const text = Buffer.concat(chunks).toString('utf8')
    requests.push({ route, headers: request.headers, body: text === '' ? null : JSON.parse(text) })
    const known = Object.hasOwn(answers, route)
    response.writeHead(known ? 200 : 404, { 'content-type': 'application/json' })
    response.end(
      JSON.stringify(known ? { data: answers[route], messages: [] } : { type: 'errors/not_found', status: 404 }),
    )
  })
  return { requests, server }
}

export const runAgainst = async (
  commands: readonly Command[],
  answers: Answers,
  words: string[],
  changes: Partial<Shell> = {},
): Promise<{ code: number; out: string; err: string; requests: readonly RecordedRequest[] }> => {
  const { requests, server } = await listen(answers)
  const env = { MILLRACE_API_KEY: 'mill-x', MILLRACE_API_URL: server.url }
  const shell = await createShell({ ...changes, env })
  try {
    return { code: await runProgram(commands, shell, words), ...shell.output, requests }
  } finally {
    await server.close()
  }
}
