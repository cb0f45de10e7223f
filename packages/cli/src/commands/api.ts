// Calls any operation of the server: `millrace api tasks.get --id …`. Fields and help come from the contract.
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { isOperationName, type OperationName, requestOf } from '@millrace/contract/call'
import { operationHelp } from '@millrace/contract/operation-help.gen'
import { operationTable } from '@millrace/contract/operations.gen'
import { fieldLines, inputOfWords, type OperationInput } from '../api/fields.ts'
import type { Cli, Command, Options, Result } from '../command.ts'
import { text } from '../command.ts'
import { usage } from '../failures.ts'
import { readBytes } from '../shell.ts'
import { closest, didYouMean } from '../suggest.ts'
import { parseInput } from '../tasks/input.ts'
import { linesOf } from '../tasks/stream-lines.ts'

const names = Object.keys(operationHelp) as OperationName[]

const operationNamed = (name: string): OperationName => {
  if (isOperationName(name)) return name
  const family = names.filter((known) => known.split('.')[0] === name.split('.')[0])
  const others = family.length > 0 ? `The operations are ${family.join(', ')}` : '`millrace api` lists the operations'
  throw usage(`Operation ${name} not found`, didYouMean(closest(name, names)) || others)
}

const describeOperation = (name: OperationName): string => {
  const { method, path } = operationTable[name]
  const help = operationHelp[name]
  const access = help.scope.includes(':') ? `scope ${help.scope}` : help.scope
  return [`${name}: ${help.summary}`, `  ${method} ${path}, ${access}`, '', 'Fields:', ...fieldLines(help)].join('\n')
}

const bodyFrom = async ({ shell }: Cli, path: string): Promise<Buffer> => {
  if (path === '-') return readBytes(shell.stdin)
  return readFile(resolve(shell.cwd, path)).catch(() => {
    throw usage(`${path} cannot be read`)
  })
}

/** Fields given as options override those of `--body`. */
const withBody = async (cli: Cli, name: OperationName, input: OperationInput, options: Options): Promise<object> => {
  const inline = text(options, 'body')
  const file = text(options, 'bodyFile')
  if (inline !== undefined && file !== undefined) throw usage('Pass either --body or --body-file')
  if (operationTable[name].method === 'GET') {
    if (inline !== undefined || file !== undefined) throw usage(`${name} has no body`)
    return { path: input.path, query: input.query }
  }
  if ('bytes' in operationTable[name])
    return { ...input, body: file === undefined ? Buffer.from(inline ?? '') : await bodyFrom(cli, file) }
  const content = inline ?? (file === undefined ? '{}' : (await bodyFrom(cli, file)).toString())
  const given = parseInput(content, file ?? '--body')
  return { ...input, body: { ...given, ...input.body } }
}

const isHeartbeat = (line: string): boolean => line === '{"type":"heartbeat"}'

const answer = async (cli: Cli, name: OperationName, input: object, key: string | undefined): Promise<Result> => {
  const closing = new AbortController()
  const release = cli.shell.onInterrupt(() => closing.abort())
  try {
    const request = requestOf(name, input, { signal: closing.signal, ...(key ? { idempotencyKey: key } : {}) })
    const isOpen = /^(public|optional)$/.test(operationHelp[name].scope)
    const api = isOpen ? cli.openApi() : cli.api()
    const response = await api.open(request)
    if (response.body && response.headers.get('content-type')?.startsWith('application/x-ndjson')) {
      for await (const line of linesOf(response.body)) if (!isHeartbeat(line)) await cli.emit(JSON.parse(line))
      return { text: '', json: undefined }
    }
    const data = await api.dataIn(request, response)
    return { text: JSON.stringify(data, null, 2), json: data }
  } finally {
    release()
  }
}

const api: Command = {
  words: 'api [operation]',
  summary: 'Call an operation of the server with its fields as options; without a name, list the operations',
  options: [
    ['--body <json>', 'body as a JSON object; options override its fields'],
    ['--body-file <path>', 'read the body from a file; - for stdin'],
    ['--idempotency-key <key>', 'make the call safe to repeat with the same key'],
  ],
  moreOptions: true,
  moreHelp: (words) => {
    const named = words.find(isOperationName)
    return named === undefined ? '' : describeOperation(named)
  },
  example:
    'millrace api\nmillrace api tasks.run --app millrace/echo --input \'{"hello": "world"}\' --wait\nmillrace api tasks.run --help',
  run: async (cli, [given, ...words], options) => {
    if (given === undefined) {
      const rows = names.map((name) => [name, operationHelp[name].summary])
      return { text: cli.table(['OPERATION', 'SUMMARY'], rows), json: names }
    }
    const name = operationNamed(given)
    const input = inputOfWords(operationHelp[name], words)
    return answer(cli, name, await withBody(cli, name, input, options), text(options, 'idempotencyKey'))
  },
}

export const apiCommands = [api]
