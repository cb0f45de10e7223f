// Reads the input of a run: JSON or key=value arguments, a file or stdin. `@path` in a file field uploads a local file.
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { parseRef } from '@millrace/contract/refs'
import type { Api } from '../api/client.ts'
import { type Options, text, texts } from '../command.ts'
import { refuseInexact, usage } from '../failures.ts'
import { mapFileValues } from '../files/file-values.ts'
import { uploadFile } from '../files/upload.ts'
import { findApp } from '../find-refs.ts'
import { readAll, type Shell } from '../shell.ts'
import { type Input, inputOfPairs, isPair } from './words.ts'

export const parseInput = (json: string, from: string): Input => {
  let value: unknown
  try {
    value = JSON.parse(json)
  } catch (error) {
    throw usage(`${from} is not JSON: ${(error as Error).message}`)
  }
  refuseInexact(json)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw usage(`${from} must be a JSON object`)
  return value as Input
}

/** `schemaOf` is called only for key=value arguments, whose types it defines. */
export const readInput = async (
  shell: Shell,
  options: Options,
  schemaOf: () => Promise<unknown> = async () => undefined,
): Promise<Input> => {
  const words = texts(options, 'input')
  const file = text(options, 'inputFile')
  if (words.length > 0 && file !== undefined) throw usage('Pass either --input or --input-file')
  if (words.length > 0) {
    const pairs = words.filter(isPair)
    const objects = words.filter((word) => !isPair(word)).map((word) => parseInput(word, '--input'))
    const typed = pairs.length === 0 ? {} : inputOfPairs(pairs, await schemaOf())
    return Object.assign({}, ...objects, typed) as Input
  }
  if (file === undefined) return {}
  return readObject(shell, file)
}

/** The JSON object in a file, or on stdin for `-`. */
export const readObject = async (shell: Shell, file: string): Promise<Input> => {
  if (file === '-') return parseInput(await readAll(shell.stdin), 'stdin')
  const content = await readFile(resolve(shell.cwd, file), 'utf8').catch(() => {
    throw usage(`${file} cannot be read`)
  })
  return parseInput(content, file)
}

const isLocalFile = (value: unknown): value is string => typeof value === 'string' && /^@./.test(value)

/** Whether the schema is needed to find file fields. */
export const mentionsLocalFile = (value: unknown): boolean => {
  if (typeof value === 'object' && value !== null) return Object.values(value).some(mentionsLocalFile)
  return isLocalFile(value)
}

/** Uploads file fields only; in other fields a leading @ is ordinary text. */
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
