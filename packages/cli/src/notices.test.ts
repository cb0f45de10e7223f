// Guarantees: notices of the server are printed once to stderr, never to stdout; messages of an app keep their lines.
import { afterEach, expect, test } from 'vitest'
import { commands } from './commands.ts'
import { exitCodes } from './exit-codes.ts'
import { runProgram } from './program.ts'
import { serve, type TestServer } from './testing/http-server.ts'
import { createShell } from './testing/shell.ts'

let server: TestServer | undefined
afterEach(() => server?.close())

const notice = { level: 'warning', code: 'no_engine', message: 'The run waits: no engine' }
const task = { id: 'abc', status: 10, output: { ok: true } }

const run = async (...words: string[]) => {
  server = await serve((request, response) => {
    const streams = request.headers.accept?.includes('ndjson') && request.url === '/apps/run' && !words.includes('api')
    if (!streams) return void response.end(JSON.stringify({ data: task, messages: [notice, notice] }))
    response.setHeader('x-messages', encodeURIComponent(JSON.stringify([notice]))).end(`${JSON.stringify(task)}\n`)
  })
  const shell = await createShell({ env: { MILLRACE_API_KEY: 'mill-x', MILLRACE_API_URL: server.url } })
  expect(await runProgram(commands, shell, words)).toBe(0)
  return shell.output
}

test.each([
  ['a run', ['run', 'a/b'], 'abc\n'],
  ['a run that is waited for', ['run', 'a/b', '--wait'], '{\n  "ok": true\n}\n'],
  ['a run of a flow', ['flow', 'run', '5n2h7m1q8k3r9t4v6w0x2y4z6a'], 'abc\n'],
  ['any operation', ['api', 'tasks.run', '--app', 'a/b', '--jq', '.id'], 'abc\n'],
])('%s sends it', async (_claim, words, out) => {
  const said = await run(...words)
  expect(said.out).toBe(out)
  expect(said.err.match(/The run waits: no engine/g)).toHaveLength(1)
})

test('a trace keeps its lines', async () => {
  const error = 'TypeError: no\n    at App.run (inference.js:5:13)'
  server = await serve(
    (_request, response) => void response.end(`${JSON.stringify({ id: 'abc', status: 11, error })}\n`),
  )
  const shell = await createShell({ env: { MILLRACE_API_KEY: 'mill-x', MILLRACE_API_URL: server.url } })
  expect(await runProgram(commands, shell, ['run', 'a/b', '--wait'])).toBe(exitCodes.taskFailed)
  expect(shell.output.err).toBe(`Task abc\nThe task failed: ${error}\n`)
})

test('people get a line, scripts get a document', async () => {
  expect((await run('run', 'a/b')).err).toBe('warning: The run waits: no engine\n')
  expect(JSON.parse((await run('run', 'a/b', '--json')).err)).toEqual({ notice })
})
