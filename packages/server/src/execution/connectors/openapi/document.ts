// Reads an OpenAPI document (2.0, 3.0 or 3.1) as 3.1. Runs on the thread of `worker.ts` only, because some documents
// need much time or memory.
import { isRecord } from '@millrace/contract/json'
import { parseUntrustedJson } from '@millrace/contract/parse-untrusted'
import { upgrade } from '@scalar/openapi-upgrader'
import { parse as parseYaml } from 'yaml'

export type Json = Record<string, unknown>

/** The message is shown to the caller. */
export class DocumentProblem extends Error {}

/** Larger than those of a request body: published descriptions of large services have a million values. */
const bounds = { depth: 200, names: 3_000_000, parts: 3_000_000, values: 3_000_000 }

const parsed = (text: string): unknown => {
  try {
    return /^\s*\{/.test(text) ? parseUntrustedJson(text, { bounds }) : parseYaml(text)
  } catch (error) {
    const why = error instanceof Error ? error.message.split('\n')[0]?.slice(0, 200) : ''
    throw new DocumentProblem(`The document cannot be read: ${why}`)
  }
}

export const readDocument = (text: string): Json => {
  const document = parsed(text)
  if (!isRecord(document)) throw new DocumentProblem('The document is not an OpenAPI description')
  const version = document.openapi ?? document.swagger
  if (typeof version !== 'string' || !/^(2|3)\./.test(version))
    throw new DocumentProblem('The document has no `openapi` or `swagger` version 2 or 3')
  if (!isRecord(document.paths)) throw new DocumentProblem('The document has no `paths`')
  return upgrade(document, '3.1') as Json
}

const maxHops = 20

/** Follows references within the document; undefined for those that lead elsewhere, nowhere or in a circle. */
export const follow = (document: Json, value: unknown): unknown => {
  let current = value
  for (let hops = 0; hops < maxHops; hops += 1) {
    if (!isRecord(current) || typeof current.$ref !== 'string') return current
    current = targetOf(document, current.$ref)
  }
  return undefined
}

const targetOf = (document: Json, reference: string): unknown => {
  if (!reference.startsWith('#/')) return undefined
  let at: unknown = document
  for (const step of reference.slice(2).split('/')) {
    const name = decoded(step)
    if (at === null || typeof at !== 'object' || !Object.hasOwn(at, name)) return undefined
    at = (at as Json)[name]
  }
  return at
}

const decoded = (step: string): string => {
  try {
    return decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~')
  } catch {
    return step
  }
}

export const records = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isRecord) : [])
export const textOf = (value: unknown, maxLength: number): string =>
  typeof value === 'string' ? value.trim().slice(0, maxLength) : ''
