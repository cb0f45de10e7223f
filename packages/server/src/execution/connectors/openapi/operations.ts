// The operations of a document, and the choice among them.
import { maxConnectorFunctions, type OpenApiSource } from '@millrace/contract/connectors'
import { isRecord } from '@millrace/contract/json'
import { isFunctionName } from '@millrace/contract/refs'
import { DocumentProblem, follow, type Json } from './document.ts'

const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch'] as const

export type FoundOperation = {
  /** As in the document: `GET /pets/{id}`. */
  readonly title: string
  readonly method: string
  readonly path: string
  readonly item: Json
  readonly operation: Json
  readonly tags: readonly string[]
  readonly id: string
}

const allOperations = (document: Json): FoundOperation[] =>
  Object.entries(document.paths as Json).flatMap(([path, given]) => {
    const item = follow(document, given)
    if (!path.startsWith('/') || !isRecord(item)) return []
    return methods.flatMap((method): FoundOperation[] => {
      const operation = item[method]
      if (!isRecord(operation)) return []
      const tags = (Array.isArray(operation.tags) ? operation.tags : []).filter((tag) => typeof tag === 'string')
      const title = `${method.toUpperCase()} ${path}`
      const id = typeof operation.operationId === 'string' ? operation.operationId : ''
      return [{ title, method: method.toUpperCase(), path, item, operation, tags, id }]
    })
  })

const tagCounts = (all: readonly FoundOperation[]): string => {
  const counts = new Map<string, number>()
  for (const { tags } of all) for (const tag of tags) counts.set(tag, (counts.get(tag) ?? 0) + 1)
  const shown = [...counts].sort(([, a], [, b]) => b - a).slice(0, 20)
  return shown.map(([tag, count]) => `${tag.slice(0, 60)} (${count})`).join(', ')
}

const assertKnown = (what: string, requested: readonly string[] = [], known: ReadonlySet<string>): void => {
  const missing = requested.find((one) => !known.has(one))
  if (missing !== undefined) throw new DocumentProblem(`The document has no ${what} "${missing.slice(0, 100)}"`)
}

export const chooseOperations = (document: Json, { tags, operations }: OpenApiSource): FoundOperation[] => {
  const all = allOperations(document)
  assertKnown('tag', tags, new Set(all.flatMap((one) => one.tags)))
  assertKnown('operation', operations, new Set(all.flatMap((one) => [one.id, one.title])))
  const chosen = all.filter(
    (one) =>
      (tags === undefined && operations === undefined) ||
      one.tags.some((tag) => tags?.includes(tag)) ||
      operations?.includes(one.id) ||
      operations?.includes(one.title),
  )
  if (chosen.length === 0) throw new DocumentProblem('The document has no operations')
  if (chosen.length > maxConnectorFunctions)
    throw new DocumentProblem(
      `The document has ${chosen.length} of these operations; choose at most ${maxConnectorFunctions} by tag or name. Tags: ${tagCounts(all) || 'none'}`,
    )
  return chosen
}

/** Names that an app cannot use for functions. */
const reserved = new Set(['setup', 'unload', 'on_cancel', 'onCancel', 'constructor'])

/** A valid name that no other function has. */
export const functionName = (
  { id, title }: Pick<FoundOperation, 'id' | 'title'>,
  taken: ReadonlySet<string>,
): string => {
  const words = (id || title.toLowerCase()).replace(/[^A-Za-z0-9_-]+/g, '_').replace(/^[^A-Za-z]+|_+$/g, '')
  const base = (reserved.has(words) || !isFunctionName(words.slice(0, 60)) ? `call_${words}` : words).slice(0, 60)
  for (let next = 1; ; next += 1) {
    const name = next === 1 ? base : `${base}_${next}`
    if (!taken.has(name)) return name
  }
}
