// Guarantees: every command has JSON output, examples in its help, and the documented exit codes.
import { expect, it, test } from 'vitest'
import type { Command } from './command.ts'
import { commands } from './commands.ts'
import { exitCodes } from './exit-codes.ts'
import { CliFailure } from './failures.ts'
import { runProgram } from './program.ts'
import { serve } from './testing/http-server.ts'
import { createShell } from './testing/shell.ts'

const run = async (words: string[], list: readonly Command[] = commands) => {
  const shell = await createShell()
  return { code: await runProgram(list, shell, words), ...shell.output }
}
const plainWords = (command: Command) => command.words.split(' ').filter((word) => /^[a-z]/.test(word))

test.each(commands.map((command) => [plainWords(command).join(' '), command] as const))(
  '%s --help shows an example and the common options',
  async (_name, command) => {
    const { code, out } = await run([...plainWords(command), '--help'])
    expect(code).toBe(exitCodes.ok)
    expect(out).toContain(`Examples:\n  $ ${command.example.split('\n')[0]}`)
    expect(out).toContain('--json')
    expect(out).toContain('--jq <filter>')
    expect(out).toContain('--api <url>')
    expect(command.example).toContain(`millrace ${plainWords(command).join(' ')}`)
  },
)

it('accepts the common options before and after the command', async () => {
  for (const words of [
    ['--api', 'http://127.0.0.1:9', 'whoami', '--json'],
    ['--json', 'whoami', '--api', 'http://127.0.0.1:9'],
    ['task', '--api=http://127.0.0.1:9', 'list', '--json'],
  ]) {
    const shell = await createShell({ env: { MILLRACE_API_KEY: 'mill-x' } })
    expect(await runProgram(commands, shell, words)).toBe(exitCodes.unavailable)
    expect(JSON.parse(shell.output.err).error.message).toContain('http://127.0.0.1:9')
  }
})

it('suggests names for typing mistakes', async () => {
  expect((await run(['tsak', 'list'])).err).toContain('(Did you mean task?)')
  expect((await run(['task', 'lits'])).err).toContain('(Did you mean list?)')
  expect((await run(['api', 'tasks.rnu'])).err).toContain('Did you mean tasks.run?')
})

it('sends a field that is called version', async () => {
  const server = await serve(
    (request, response) => void request.pipe(response.writeHead(200, { 'content-type': 'application/json' })),
  )
  const shell = await createShell({ env: { MILLRACE_API_KEY: 'mill-x', MILLRACE_API_URL: server.url } })
  const words = ['api', 'agents.create', '--name', 'thinker', '--version', '{"instructions":"think"}', '--json']
  expect(await runProgram(commands, shell, words)).toBe(exitCodes.ok)
  await server.close()
  expect(JSON.parse(shell.output.out)).toEqual({ name: 'thinker', version: { instructions: 'think' } })
  expect((await run(['--version'])).out).toMatch(/^\d+\.\d+\.\d+\n$/)
})

it('documents the exit codes in its help', async () => {
  const { out } = await run(['--help'])
  for (const code of Object.values(exitCodes)) expect(out).toMatch(new RegExp(`^ {2}${code} +\\w`, 'm'))
})

test.each([
  ['an unknown command', ['fly']],
  ['an unknown option', ['whoami', '--fly']],
  ['a missing word', ['task', 'show']],
  ['a word too many', ['task', 'show', 'a', 'b']],
  ['a group alone', ['task']],
  ['an option without its value', ['run', 'a/b', '-i']],
  ['an address that is none', ['whoami', '--api', 'nonsense']],
])('%s exits with the code for usage errors', async (_claim, words) => {
  const { code, out, err } = await run(words)
  expect(code).toBe(exitCodes.usage)
  expect(out).toBe('')
  expect(err).not.toBe('')
})

test.each([
  ['an unknown command', ['agent', 'get'], /unknown command 'get'/],
  ['a mistyped one', ['tsak', 'list'], /Did you mean task\?/],
  ['an unknown option', ['whoami', '--fly'], /unknown option '--fly'/],
  ['a group alone', ['task'], /A command is required/],
  ['no row at all', ['task', 'list', '--limit', '0'], /--limit must be a whole number from 1/],
  ['a time without a unit', ['key', 'create', 'x', '--expires-in', '90'], /--expires-in must be a duration such as/],
  ['too long a time', ['task', 'cancel', 'x', '--timeout', '1h'], /--timeout must be from 0ms to 10m/],
])('%s is reported to scripts as JSON', async (_claim, words, says) => {
  const shell = await createShell({ env: { MILLRACE_API_KEY: 'mill-x', MILLRACE_API_URL: 'http://127.0.0.1:9' } })
  expect(await runProgram(commands, shell, [...words, '--json'])).toBe(exitCodes.usage)
  const { error } = JSON.parse(shell.output.err)
  expect(error).toMatchObject({ code: 'usage', exit_code: exitCodes.usage, message: expect.stringMatching(says) })
})

/** Commands that start a sign-in, need none, or work without a server. */
const withoutSignIn =
  /^(login|app create|app store|engine start|api|open|doctor|completion|broker|remote (logs|install|uninstall|exec))/

it.each(
  commands
    .filter(({ words }) => !withoutSignIn.test(words))
    .map((command) => [plainWords(command), (command.words.match(/</g) ?? []).length] as const),
)('%s without a sign-in is refused, in a form for scripts', async (words, argumentCount) => {
  const given = [...words, ...Array.from({ length: argumentCount }, () => 'x'), '--json']
  const { code, out, err } = await run(given)
  expect(code).toBe(exitCodes.refused)
  expect(out).toBe('')
  expect(JSON.parse(err)).toMatchObject({ error: { code: 'unauthorized', exit_code: exitCodes.refused } })
})

test.each([
  ['without a sign-in', ['api', 'tasks.get', '--id', 'x'], exitCodes.refused, 'unauthorized'],
  ['of a remote without a sign-in', ['remote', 'exec', 'x', 'ls'], exitCodes.refused, 'unauthorized'],
  ['of an unknown name', ['api', 'tasks.fly'], exitCodes.usage, 'usage'],
  ['with an unknown field', ['api', 'tasks.get', '--fly', 'x'], exitCodes.usage, 'usage'],
])('a call %s is refused, in a form for scripts', async (_claim, words, exitCode, code) => {
  const answer = await run([...words, '--json'])
  expect(answer).toMatchObject({ code: exitCode, out: '' })
  expect(JSON.parse(answer.err)).toMatchObject({ error: { code, exit_code: exitCode } })
})

it('reports an unreachable server', async () => {
  const shell = await createShell({ env: { MILLRACE_API_KEY: 'mill-x', MILLRACE_API_URL: 'http://127.0.0.1:9' } })
  expect(await runProgram(commands, shell, ['whoami'])).toBe(exitCodes.unavailable)
  expect(shell.output.err).toMatch(/^error: No answer from http:\/\/127.0.0.1:9/)
  expect(shell.output.err).not.toContain('mill-x')
})

it('names the sign-in command with the given address', async () => {
  expect((await run(['whoami'])).err).toContain('`millrace login`')
  expect((await run(['whoami', '--api', 'http://127.0.0.1:9'])).err).toContain(
    '`millrace login --api http://127.0.0.1:9`',
  )
})

const pretend = (act: Command['run']): Command => ({
  words: 'try [word]',
  summary: '',
  example: 'millrace try',
  run: act,
})

test.each<[string, string[], Command['run'], object]>([
  ['text for people', [], async () => ({ text: 'hello', json: { a: 1 } }), { code: 0, out: 'hello\n', err: '' }],
  ['JSON for scripts', ['--json'], async () => ({ text: 'hello', json: { a: 1 } }), { code: 0, out: '{"a":1}\n' }],
  [
    'what jq makes of it',
    ['--jq', '.a, (.b // "none")'],
    async () => ({ text: 'hello', json: { a: 1 } }),
    { code: 0, out: '1\nnone\n' },
  ],
  ['a filter that is none', ['--jq', '.a['], async () => ({ text: '', json: {} }), { code: 2, out: '' }],
  ['the code of a result', [], async () => ({ text: '', json: null, exitCode: 4 }), { code: 4, out: '' }],
  [
    'a foreseen failure',
    [],
    async () => {
      throw new CliFailure('No', { exitCode: 5, details: ['because'] })
    },
    { code: 5, out: '', err: 'error: No\n  because\n' },
  ],
  [
    'any other failure',
    ['--json'],
    async () => {
      throw new TypeError('odd')
    },
    { code: 1, err: '{"error":{"code":"failed","message":"odd","exit_code":1}}\n' },
  ],
  ['its words', ['one'], async (_cli, args) => ({ text: args.join(), json: null }), { out: 'one\n' }],
])('prints %s', async (_claim, words, act, expected) =>
  expect(await run(['try', ...words], [pretend(act)])).toMatchObject(expected),
)
