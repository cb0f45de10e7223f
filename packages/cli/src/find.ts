// Finds resources with a plain name by name, short id or id. A name that does not exist is an error with a suggestion.
import type { ListRequest } from '@millrace/contract/common'
import { isId, isShortId } from '@millrace/contract/ids'
import type { Api } from './api/client.ts'
import { CliFailure } from './failures.ts'
import { suggest } from './suggest.ts'

const pageSize = 100

export const isMissing = (error: unknown): error is CliFailure =>
  error instanceof CliFailure && error.status === 404 && error.code === 'not_found'

type Row = { readonly id?: string; readonly short_id?: string; readonly name?: string }
export type Named = { readonly id: string; readonly name: string }

const lists = {
  trigger: (api: Api, body: ListRequest): Promise<{ items: Row[] }> => api.call('triggers.list', { body }),
  key: (api: Api, body: ListRequest): Promise<{ items: Row[] }> => api.call('apikeys.list', { body }),
  engine: (api: Api, body: ListRequest): Promise<{ items: Row[] }> => api.call('engines.list', { body }),
  remote: (api: Api, body: ListRequest): Promise<{ items: Row[] }> => api.call('remotes.list', { body }),
  project: (api: Api, body: ListRequest): Promise<{ items: Row[] }> => api.call('projects.list', { body }),
}
export type NamedKind = keyof typeof lists

export const findByName = async (api: Api, kind: NamedKind, name: string): Promise<Named | undefined> => {
  const filters = [{ field: 'name', operator: 'eq', value: name } as const]
  const [first, second] = (await lists[kind](api, { limit: 2, filters })).items
  if (second !== undefined)
    throw new CliFailure(`Several ${kind}s have the name ${name}`, {
      code: 'ambiguous',
      hint: `Use the id of one (\`millrace ${kind} list\`)`,
    })
  return first?.id === undefined ? undefined : { id: first.id, name }
}

export const namesOf = async (api: Api, kind: NamedKind): Promise<string[]> =>
  (await lists[kind](api, { limit: pageSize })).items.flatMap(({ name }) => name ?? [])

/** `noun` starts the sentence, such as `Trigger`. */
export const notFound = (noun: string, given: string, hint: string): CliFailure =>
  new CliFailure(`${noun} ${given} not found`, { code: 'not_found', status: 404, hint })

const capitalized = (word: string): string => `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`

/** By id, short id or name. */
export const findNamed = async (api: Api, kind: NamedKind, given: string): Promise<Named> => {
  if (isId(given)) return { id: given, name: given }
  const named = await findByName(api, kind, given)
  if (named) return named
  const { items } = await lists[kind](api, { limit: pageSize })
  const found = items.find(({ short_id }) => short_id === given)
  if (found?.id !== undefined) return { id: found.id, name: found.name ?? given }
  // The id may belong to a resource on a later page; the server accepts short ids.
  if (isShortId(given) && items.length === pageSize) return { id: given, name: given }
  const names = items.flatMap(({ name }) => name ?? [])
  throw notFound(capitalized(kind), given, suggest(given, names) || `\`millrace ${kind} list\` lists them`)
}
