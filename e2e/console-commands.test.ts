// Guarantees: the CLI accepts every command that the console shows, with known flags and the address of the server.
import { expect, it } from 'vitest'
import { commands } from '../packages/cli/src/commands.ts'
import { runProgram } from '../packages/cli/src/program.ts'
import { createShell } from '../packages/cli/src/testing/shell.ts'
import { commandsFor } from '../packages/web/src/ui/commands.ts'

const server = 'https://mill.example'
const { runApp, ...fixed } = commandsFor(server)

const lines: readonly string[] = [
  ...Object.values(fixed).flatMap((snippet) => snippet.split('\n')),
  runApp('mill/count:sift', { text: "it's" }),
]

/** Parses the shell quoting that the console uses. */
const wordsOf = (line: string): string[] =>
  [...line.matchAll(/(?:'[^']*'|\\'|[^\s'\\])+/g)].map(([word]) => word.replace(/'([^']*)'|\\(')/g, '$1$2'))

/** The parser of the CLI, with commands that only record their options. */
const parse = async (words: string[]) => {
  const shell = await createShell()
  const runs: { words: string; args: readonly string[]; options: Readonly<Record<string, unknown>> }[] = []
  const recording = commands.map((command) => ({
    ...command,
    run: async (_cli: unknown, args: readonly string[], options: Readonly<Record<string, unknown>>) => {
      runs.push({ words: command.words, args, options })
      return { text: '', json: null }
    },
  }))
  const exitCode = await runProgram(recording, shell, words)
  return { exitCode, runs, err: shell.output.err }
}

it.each([...new Set(lines)])('%s', async (line) => {
  const [program, ...words] = wordsOf(line)
  if (program === 'npm') {
    expect(words).toEqual(['install', '--global', `${server}/cli/millrace.tgz`])
    return
  }
  expect(program).toBe('millrace')
  const { exitCode, runs, err } = await parse(words)
  expect({ exitCode, err, runs: runs.length }).toEqual({ exitCode: 0, err: '', runs: 1 })
})

it('signs in to the server that shows the command', async () => {
  const login = fixed.startEngine.split('\n').find((line) => line.includes(' login '))
  expect((await parse(wordsOf(login ?? '').slice(1))).runs[0]?.options.api).toBe(server)
})

it('passes the input of a run as one JSON value', async () => {
  const { runs } = await parse(wordsOf(runApp('mill/count', { text: "it's" })).slice(1))
  expect(runs[0]?.args).toEqual(['mill/count'])
  expect(JSON.parse(String(runs[0]?.options.input))).toEqual({ text: "it's" })
})

it.each(['millrace login --api-url https://mill.example', 'millrace engine begin'])(
  'the parser rejects: %s',
  async (line) => {
    expect((await parse(wordsOf(line).slice(1))).exitCode).not.toBe(0)
  },
)
