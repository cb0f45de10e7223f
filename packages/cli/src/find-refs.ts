// Finds resources with a ref by `namespace/name`, by a bare name of the own namespace, or by id. A ref that does not exist
// is an error with a suggestion.
import type { Agent } from '@millrace/contract/agents'
import type { App } from '@millrace/contract/apps'
import type { Artifact } from '@millrace/contract/artifacts'
import type { Flow } from '@millrace/contract/flows'
import { isId, isShortId } from '@millrace/contract/ids'
import type { Knowledge, Skill } from '@millrace/contract/knowledge'
import { parseRef } from '@millrace/contract/refs'
import type { Api } from './api/client.ts'
import { appName } from './deploy/template.ts'
import { CliFailure, usage, withHint } from './failures.ts'
import { isMissing } from './find.ts'
import { closestRefs, didYouMean, type RefParts, suggest } from './suggest.ts'

const ownNamespace = async (api: Api): Promise<string> => (await api.call('me.get')).team?.username ?? ''

/** The namespace of the current workspace. */
export const homeNamespace = async (api: Api): Promise<string> => {
  const namespace = await ownNamespace(api)
  if (namespace === '') throw new CliFailure('This sign-in has no workspace', { code: 'not_found' })
  return namespace
}

export type RefPath = { readonly namespace: string; readonly name: string }

/** The path of `namespace/name[@version]`; a bare name belongs to the own namespace. */
export const refPath = async (api: Api, given: string): Promise<RefPath> => {
  const ref = parseRef(given)
  if (!ref || ref.function !== null) throw usage(`${given} is not a ref; a ref is namespace/name[@version]`)
  const namespace = ref.namespace ?? (await homeNamespace(api))
  return { namespace, name: ref.version === null ? ref.name : `${ref.name}@${ref.version}` }
}

/** Throws the error, with a hint that names the closest refs. */
export const suggestRefs = async (
  api: Api,
  typed: string,
  error: unknown,
  known: () => Promise<readonly RefParts[]>,
): Promise<never> => {
  if (!isMissing(error)) throw error
  const refs = closestRefs(typed, await known(), await ownNamespace(api))
  throw refs.length === 0 ? error : withHint(error, didYouMean(refs))
}

const firstPage = { limit: 100, fields: ['namespace', 'name'] }

export const knownApps = async (api: Api): Promise<RefParts[]> => {
  const [own, shared] = await Promise.all([
    api.call('apps.list', { body: firstPage }),
    api.call('store.apps', { body: firstPage }),
  ])
  return [...own.items, ...shared.items]
}

const known = {
  flow: async (api: Api): Promise<RefParts[]> => (await api.call('flows.list', { body: firstPage })).items,
  agent: async (api: Api): Promise<RefParts[]> => (await api.call('agents.list', { body: firstPage })).items,
  artifact: async (api: Api): Promise<RefParts[]> => (await api.call('artifacts.list', { body: firstPage })).items,
  knowledge: async (api: Api): Promise<RefParts[]> => (await api.call('knowledge.list', { body: firstPage })).items,
  skill: async (api: Api): Promise<RefParts[]> => (await api.call('skills.list', { body: firstPage })).items,
}
export const knownAgents = known.agent
export const knownFlows = known.flow

type KnowledgeQuery = { readonly include?: 'content' }

const byId = {
  flow: (api: Api, id: string): Promise<Flow> => api.call('flows.get', { path: { id } }),
  agent: (api: Api, id: string): Promise<Agent> => api.call('agents.get', { path: { id } }),
  artifact: (api: Api, id: string): Promise<Artifact> => api.call('artifacts.get', { path: { id } }),
  knowledge: (api: Api, id: string, query: KnowledgeQuery = {}): Promise<Knowledge> =>
    api.call('knowledge.get', { path: { id }, query }),
  skill: (api: Api, id: string): Promise<Skill> => api.call('skills.get', { path: { id } }),
}

const byRef = {
  flow: (api: Api, path: RefPath): Promise<Flow> => api.call('flows.get_by_ref', { path }),
  agent: (api: Api, path: RefPath): Promise<Agent> => api.call('agents.get_by_ref', { path }),
  artifact: (api: Api, path: RefPath): Promise<Artifact> => api.call('artifacts.get_by_ref', { path }),
  knowledge: (api: Api, path: RefPath, query: KnowledgeQuery = {}): Promise<Knowledge> =>
    api.call('knowledge.get_by_ref', { path, query }),
  skill: (api: Api, path: RefPath): Promise<Skill> => api.call('skills.get_by_ref', { path }),
}

type RefKind = keyof typeof known
type Resource<Kind extends RefKind> = Awaited<ReturnType<(typeof byId)[Kind]>>

/** By id, by namespace/name, or by a bare name of the own namespace. */
const find = async <Kind extends RefKind>(
  api: Api,
  kind: Kind,
  given: string,
  query: KnowledgeQuery = {},
): Promise<Resource<Kind>> => {
  const get = byId[kind] as (api: Api, id: string, query: KnowledgeQuery) => Promise<Resource<Kind>>
  const getByRef = byRef[kind] as (api: Api, path: RefPath, query: KnowledgeQuery) => Promise<Resource<Kind>>
  if (isId(given) || parseRef(given) === null) return get(api, given, query)
  return getByRef(api, await refPath(api, given), query)
    .catch((error: unknown) => {
      if (isMissing(error) && isShortId(given)) return get(api, given, query)
      throw error
    })
    .catch((error: unknown) => suggestRefs(api, given, error, () => known[kind](api)))
}

export const findFlow = (api: Api, given: string): Promise<Flow> => find(api, 'flow', given)
export const findAgent = (api: Api, given: string): Promise<Agent> => find(api, 'agent', given)
export const findArtifact = (api: Api, given: string): Promise<Artifact> => find(api, 'artifact', given)
export const findKnowledge = (api: Api, given: string, query: KnowledgeQuery = {}): Promise<Knowledge> =>
  find(api, 'knowledge', given, query)
export const findSkill = (api: Api, given: string): Promise<Skill> => find(api, 'skill', given)

/** The resource at a path, or undefined. */
export const findAt = <Kind extends RefKind>(
  api: Api,
  kind: Kind,
  path: RefPath,
): Promise<Resource<Kind> | undefined> =>
  (byRef[kind] as (api: Api, path: RefPath) => Promise<Resource<Kind>>)(api, path).catch((error: unknown) => {
    if (isMissing(error)) return undefined
    throw error
  })

/** The id of a resource, with its ref as its name. */
export const named = ({ id, namespace, name }: { id: string; namespace: string; name: string }) => ({
  id,
  name: `${namespace}/${name}`,
})

// --- Apps -------------------------------------------------------------------------------------------------------------

/** A manifest may write a name with dots; the ref has dashes. */
export const appRefOf = (text: string): string => {
  if (isId(text) || parseRef(text) !== null) return text
  const [, folder = '', name = '', rest = ''] = /^((?:[^@:]*\/)?)([^@:/]*)(.*)$/s.exec(text) ?? []
  const normalized = `${folder}${appName(name)}${rest}`
  return name !== '' && parseRef(normalized) !== null ? normalized : text
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

/** Throws the error with a hint. The app may exist without the version or the function of the ref. */
export const explainMissingApp = async (api: Api, text: string, error: unknown): Promise<never> => {
  if (!isMissing(error)) throw error
  const ref = parseRef(text)
  const address = text.replace(/[@:].*$/s, '')
  const app = ref?.version || ref?.function ? await appByRef(api, address).catch(() => null) : null
  if (app === null) return suggestRefs(api, address, error, () => knownApps(api))
  const functions = Object.keys(app.version?.functions ?? {})
  if (ref?.function && !functions.includes(ref.function))
    throw withHint(error, suggest(ref.function, functions) || `It has ${functions.join(', ')}`)
  throw withHint(error, `\`millrace app versions ${address}\` lists the versions`)
}
