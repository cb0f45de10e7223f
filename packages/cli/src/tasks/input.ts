// The input of a run: JSON from the command line, a file or stdin; `@path` in a file field is a local file to upload.
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { App } from '@millrace/contract/apps'
import { isId } from '@millrace/contract/ids'
import { parseRef } from '@millrace/contract/refs'
import type { Api } from '../api/client.ts'
import { type Options, text } from '../command.ts'
import { usage } from '../failures.ts'
import { mapFileValues } from '../files/file-values.ts'
import { uploadFile } from '../files/upload.ts'
import { readAll, type Shell } from '../shell.ts'

type Input = Record<string, unknown>

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

export const readInput = async (shell: Shell, options: Options): Promise<Input> => {
  const inline = text(options, 'input')
  const file = text(options, 'inputFile')
  if (inline !== undefined && file !== undefined) throw usage('Give --input or --input-file, not both')
  if (inline !== undefined) return parseInput(inline, '--input')
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

const inputSchemaOf = async (api: Api, text: string): Promise<unknown> => {
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
  return api.call('apps.get_by_ref', { path: { namespace, name: text.split('/').at(-1) ?? '' } })
}
