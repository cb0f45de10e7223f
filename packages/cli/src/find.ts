// What a person means by a name, a ref or an id: one place for every kind of thing. What is not there is told with the
// names that may have been meant.
import type { App } from '@millrace/contract/apps'
import type { ListRequest } from '@millrace/contract/common'
import type { Flow } from '@millrace/contract/flows'
import { isId, isShortId } from '@millrace/contract/ids'
import type { Knowledge } from '@millrace/contract/knowledge'
import { parseRef } from '@millrace/contract/refs'
import type { Api } from './api/client.ts'
import { slugOf } from './deploy/template.ts'
import { CliFailure, reworded, usage } from './failures.ts'
import { meant, nearestRefs, type RefParts, saidAs } from './near.ts'

const pageSize = 100

export const isMissing = (error: unknown): error is CliFailure =>
  error instanceof CliFailure && error.status === 404 && error.code === 'not_found'

// --- Things with a plain name -----------------------------------------------------------------------------------------

type Row = { readonly id?: string; readonly short_id?: string; readonly name?: string }
export type Named = { readonly id: string; readonly name: string }

const lists = {
  trigger: (api: Api, body: ListRequest): Promise<{ items: Row[] }> => api.call('triggers.list', { body }),
  key: (api: Api, body: ListRequest): Promise<{ items: Row[] }> => api.call('apikeys.list', { body }),
  engine: (api: Api, body: ListRequest): Promise<{ items: Row[] }> => api.call('engines.list', { body }),
  remote: (api: Api, body: ListRequest): Promise<{ items: Row[] }> => api.call('remotes.list', { body }),
}
export type Kind = keyof typeof lists

/** The one of exactly this name, if there is one. */
export const findByName = async (api: Api, kind: Kind, name: string): Promise<Named | undefined> => {
  const filters = [{ field: 'name', operator: 'eq', value: name } as const]
  const [first, second] = (await lists[kind](api, { limit: 2, filters })).items
  if (second !== undefined)
    throw new CliFailure(`Several are named ${name}; say which by its id (millrace ${kind} list)`, {
      code: 'ambiguous',
    })
  return first?.id === undefined ? undefined : { id: first.id, name }
}

export const namesOf = async (api: Api, kind: Kind): Promise<string[]> =>
  (await lists[kind](api, { limit: pageSize })).items.flatMap(({ name }) => name ?? [])

/** By id, short id or name. */
export const findNamed = async (api: Api, kind: Kind, given: string): Promise<Named> => {
  if (isId(given)) return { id: given, name: given }
  const named = await findByName(api, kind, given)
  if (named) return named
  const { items } = await lists[kind](api, { limit: pageSize })
  const found = items.find(({ short_id }) => short_id === given)
  if (found?.id !== undefined) return { id: found.id, name: found.name ?? given }
  // There may be more than a page of them: then the server knows.
  if (isShortId(given) && items.length === pageSize) return { id: given, name: given }
  const names = items.flatMap(({ name }) => name ?? [])
  const hint = meant(given, names) || ` \`millrace ${kind} list\` lists them`
  throw new CliFailure(`There is no ${kind} ${given}.${hint}`, { code: 'not_found', status: 404 })
}

// --- Things with a ref ------------------------------------------------------------------------------------------------

const ownNamespace = async (api: Api): Promise<string> => (await api.call('me.get')).team?.username ?? ''

/** The namespace of the workspace that the login works in. */
export const homeNamespace = async (api: Api): Promise<string> => {
  const namespace = await ownNamespace(api)
  if (namespace === '') throw new CliFailure('You are in no workspace', { code: 'not_found' })
  return namespace
}

export type RefPath = { readonly namespace: string; readonly name: string }

/** Where `namespace/name[@version]` stands; a bare name is one of the own namespace. */
export const refPath = async (api: Api, given: string): Promise<RefPath> => {
  const ref = parseRef(given)
  if (!ref || ref.function !== null) throw usage(`${given} is no namespace/name[@version]`)
  const namespace = ref.namespace ?? (await homeNamespace(api))
  return { namespace, name: ref.version === null ? ref.name : `${ref.name}@${ref.version}` }
}

export const findEntry = (api: Api, path: RefPath): Promise<Knowledge | undefined> =>
  api.call('knowledge.get_by_ref', { path }).catch((error: unknown) => {
    if (isMissing(error)) return undefined
    throw error
  })

/** Fails as before, with the refs that may have been meant. */
export const suggestRefs = async (
  api: Api,
  typed: string,
  error: unknown,
  known: () => Promise<readonly RefParts[]>,
): Promise<never> => {
  if (!isMissing(error)) throw error
  const near = nearestRefs(typed, await known(), await ownNamespace(api))
  throw near.length === 0 ? error : reworded(error, `${error.message}.${saidAs(near)}`)
}

const listed = { limit: pageSize, fields: ['namespace', 'name'] }

export const knownApps = async (api: Api): Promise<RefParts[]> => {
  const [own, shared] = await Promise.all([
    api.call('apps.list', { body: listed }),
    api.call('store.apps', { body: listed }),
  ])
  return [...own.items, ...shared.items]
}

export const knownFlows = async (api: Api): Promise<RefParts[]> =>
  (await api.call('flows.list', { body: listed })).items

export const knownAgents = async (api: Api): Promise<RefParts[]> =>
  (await api.call('agents.list', { body: listed })).items

/** A manifest may write a name with dots; in its address they are dashes. */
export const appRefOf = (text: string): string => {
  if (isId(text) || parseRef(text) !== null) return text
  const [, folder = '', name = '', rest = ''] = /^((?:[^@:]*\/)?)([^@:/]*)(.*)$/s.exec(text) ?? []
  const settled = `${folder}${slugOf(name)}${rest}`
  return name !== '' && parseRef(settled) !== null ? settled : text
}

const appByRef = async (api: Api, text: string): Promise<App> => {
  const namespace = parseRef(text)?.namespace ?? (await ownNamespace(api))
  return api.call('apps.get_by_ref', { path: { namespace, name: text.split('/').at(-1) ?? '' } })
}

/** By ref, by id, or by a bare name of the own namespace. */
export const findApp = async (api: Api, given: string): Promise<App> => {
  const text = appRefOf(given)
  if (isId(text) || parseRef(text) === null) return api.call('apps.get', { path: { id: text } })
  return appByRef(api, text).catch((error: unknown) => explainMissingApp(api, text, error))
}

/** Fails as before. The app itself may be there, without the version or the function that was asked for. */
export const explainMissingApp = async (api: Api, text: string, error: unknown): Promise<never> => {
  if (!isMissing(error)) throw error
  const ref = parseRef(text)
  const address = text.replace(/[@:].*$/s, '')
  const app = ref?.version || ref?.function ? await appByRef(api, address).catch(() => null) : null
  if (app === null) return suggestRefs(api, address, error, () => knownApps(api))
  const functions = Object.keys(app.version?.functions ?? {})
  if (ref?.function && !functions.includes(ref.function)) {
    const near = meant(ref.function, functions) || ` It has ${functions.join(', ')}`
    throw reworded(error, `${error.message}.${near}`)
  }
  throw reworded(error, `${error.message}. \`millrace app versions ${address}\` lists them`)
}

/** By id, by namespace/name, or by a bare name of the own namespace. */
export const findFlow = async (api: Api, given: string): Promise<Flow> => {
  const byId = () => api.call('flows.get', { path: { id: given } })
  if (isId(given)) return byId()
  const [first = '', second] = given.split('/')
  const path =
    second === undefined ? { namespace: await ownNamespace(api), name: first } : { namespace: first, name: second }
  return api
    .call('flows.get_by_ref', { path })
    .catch((error: unknown) => {
      if (isMissing(error) && isShortId(given)) return byId()
      throw error
    })
    .catch((error: unknown) => suggestRefs(api, given, error, () => knownFlows(api)))
}
