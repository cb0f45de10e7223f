// The input of a run: JSON or key=value from the command line, a file or stdin; `@path` in a file field is a local file
// to upload.
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { App } from '@millrace/contract/apps'
import { isId } from '@millrace/contract/ids'
import { parseRef } from '@millrace/contract/refs'
import type { Api } from '../api/client.ts'
import { type Options, text, texts } from '../command.ts'
import { CliFailure, usage } from '../failures.ts'
import { mapFileValues } from '../files/file-values.ts'
import { uploadFile } from '../files/upload.ts'
import { nearest } from '../near.ts'
import { readAll, type Shell } from '../shell.ts'
import { type Input, inputOfPairs, isPair } from './words.ts'

export const parseInput = (json: string, from: string): Input => {
  let value: unknown
  try {
    value = JSON.parse(json)
  } catch (error) {
    throw usage(`${from} is not JSON: ${(error as Error).message}`)
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw usage(`${from} must be a JSON object`)
  return value as Input
}

/** `schemaOf` is asked only where words have to be read as the fields they name. */
export const readInput = async (
  shell: Shell,
  options: Options,
  schemaOf: () => Promise<unknown> = async () => undefined,
): Promise<Input> => {
  const words = texts(options, 'input')
  const file = text(options, 'inputFile')
  if (words.length > 0 && file !== undefined) throw usage('Give --input or --input-file, not both')
  if (words.length > 0) {
    const pairs = words.filter(isPair)
    const objects = words.filter((word) => !isPair(word)).map((word) => parseInput(word, '--input'))
    const typed = pairs.length === 0 ? {} : inputOfPairs(pairs, await schemaOf())
    return Object.assign({}, ...objects, typed) as Input
  }
  if (file === undefined) return {}
  if (file === '-') return parseInput(await readAll(shell.stdin), 'stdin')
  const content = await readFile(resolve(shell.cwd, file), 'utf8').catch(() => {
    throw usage(`${file} cannot be read`)
  })
  return parseInput(content, file)
}

const isLocalFile = (value: unknown): value is string => typeof value === 'string' && /^@./.test(value)

/** Whether it is worth asking for the schema. */
export const mentionsLocalFile = (value: unknown): boolean => {
  if (typeof value === 'object' && value !== null) return Object.values(value).some(mentionsLocalFile)
  return isLocalFile(value)
}

/** Only fields that are files are looked at: elsewhere a leading @ is text like any other. */
export const uploadLocalFiles = async (api: Api, shell: Shell, ref: string, input: Input): Promise<Input> => {
  if (!mentionsLocalFile(input)) return input
  const schema = await inputSchemaOf(api, ref)
  const replaced = await mapFileValues(schema, input, async (value) =>
    isLocalFile(value) ? (await uploadFile(api, resolve(shell.cwd, value.slice(1)))).uri : value,
  )
  return replaced as Input
}

export const inputSchemaOf = async (api: Api, text: string): Promise<unknown> => {
  const app = await findApp(api, text)
  const { version } = app
  const name = parseRef(text)?.function ?? (app.resolved_function || version?.default_function || 'run')
  return version?.functions[name]?.input_schema
}

/** By ref, by id, or by a bare name of the own namespace. */
export const findApp = async (api: Api, text: string): Promise<App> => {
  const ref = parseRef(text)
  if (isId(text) || ref === null) return api.call('apps.get', { path: { id: text } })
  const namespace = ref.namespace ?? (await api.call('me.get')).team?.username ?? ''
  return api
    .call('apps.get_by_ref', { path: { namespace, name: text.split('/').at(-1) ?? '' } })
    .catch((error: unknown) => suggestApps(api, text, error))
}

/** Fails as before, with the names that may have been meant. */
export const suggestApps = async (api: Api, text: string, error: unknown): Promise<never> => {
  if (!(error instanceof CliFailure) || error.status !== 404) throw error
  const body = { limit: 200, fields: ['namespace', 'name'] }
  const [own, shared] = await Promise.all([api.call('apps.list', { body }), api.call('store.apps', { body })])
  const names = [...own.items, ...shared.items].map(({ namespace, name }) => `${namespace}/${name}`)
  const typed = text.replace(/[@:].*$/, '')
  const known = [...new Set(typed.includes('/') ? names : names.map((name) => name.split('/')[1] ?? ''))]
  const near = nearest(typed, known)
  if (near.length === 0) throw error
  const { message, exitCode, code, status } = error
  const meant = `Did you mean ${near.join(' or ')}?`
  throw new CliFailure(`${message}. ${meant}`, { exitCode, code, ...(status === null ? {} : { status }) })
}
