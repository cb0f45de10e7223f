// Opens the console page of a resource in a browser and prints its address.
import { isId, isShortId } from '@millrace/contract/ids'
import { type Api, createApi } from '../api/client.ts'
import type { Command } from '../command.ts'
import { CliFailure } from '../failures.ts'
import { findByName, isMissing, namesOf, notFound } from '../find.ts'
import { findApp, findFlow, knownApps, knownFlows } from '../find-refs.ts'
import { hasBrowser } from '../login/device.ts'
import { closestRefs, didYouMean, suggest } from '../suggest.ts'

/** Pages by name, relative to the address of the server. */
const sections: Readonly<Record<string, string>> = {
  console: '/console',
  docs: '/docs',
  guides: '/guides',
  apps: '/console/apps',
  runs: '/console/runs',
  flows: '/console/flows',
  triggers: '/console/triggers',
  secrets: '/console/secrets',
  connections: '/console/connections',
  files: '/console/files',
  engines: '/console/engines',
  keys: '/console/settings/keys',
  settings: '/console/settings',
}

/** A sign-in without the scope for a resource has none of them to open. */
const isAbsent = (error: unknown): boolean =>
  isMissing(error) || (error instanceof CliFailure && error.code === 'insufficient_scope')

const orNull = <T>(answer: Promise<T>): Promise<T | null> =>
  answer.catch((error: unknown) => {
    if (isAbsent(error)) return null
    throw error
  })

/** An id does not contain its kind, so each kind is tried in turn. */
const pageOfId = (api: Api, id: string): Promise<string | null> => {
  const path = { id }
  const kinds: (() => Promise<string>)[] = [
    async () => `/console/runs/${(await api.call('tasks.get', { path })).id}`,
    async () => `/console/flows/${(await api.call('flows.get', { path })).id}`,
    async () => {
      const run = await api.call('flow_runs.get', { path })
      return `/console/flows/${run.flow_id}?run=${run.id}`
    },
    async () => `/console/triggers/${(await api.call('triggers.get', { path })).id}`,
    async () => {
      const app = await api.call('apps.get', { path })
      return `/console/apps/${app.namespace}/${app.name}`
    },
    async () => `/console/engines/${(await api.call('engines.get', { path })).id}`,
  ]
  return firstOf(kinds)
}

const firstOf = async (kinds: readonly (() => Promise<string | null>)[]): Promise<string | null> => {
  for (const find of kinds) {
    const page = await orNull(find())
    if (page !== null) return page
  }
  return null
}

const pageOfName = (api: Api, name: string): Promise<string | null> => {
  const named = async (kind: 'trigger' | 'engine'): Promise<string | null> => {
    const found = await findByName(api, kind, name)
    return found ? `/console/${kind}s/${found.id}` : null
  }
  return firstOf([
    async () => {
      const app = await findApp(api, name)
      return `/console/apps/${app.namespace}/${app.name}`
    },
    async () => `/console/flows/${(await findFlow(api, name)).id}`,
    () => named('trigger'),
    () => named('engine'),
  ])
}

/** Pages with a similar name. */
const similar = async (api: Api, thing: string): Promise<string> => {
  const refs = await Promise.all([knownApps(api), knownFlows(api)].map(orNull))
  const names = await Promise.all([namesOf(api, 'trigger'), namesOf(api, 'engine')].map(orNull))
  const own = (await api.call('me.get')).team?.username ?? ''
  const plain = [...Object.keys(sections), ...names.flatMap((list) => list ?? [])]
  return (
    suggest(thing, plain) ||
    didYouMean(
      closestRefs(
        thing,
        refs.flatMap((list) => list ?? []),
        own,
      ),
    )
  )
}

const pageOf = async (signedIn: Api, thing: string): Promise<string> => {
  // A client that does not request missing scopes, because a kind without its scope is simply skipped.
  const api = createApi(signedIn.url, signedIn.login)
  const page = isId(thing) || isShortId(thing) ? await pageOfId(api, thing) : null
  const found = page ?? (isId(thing) ? null : await pageOfName(api, thing))
  if (found !== null) return found
  throw notFound('Page', thing, await similar(api, thing))
}

/** A guide is a page of the server. `guides` is reserved, so no workspace has this name. */
const guideOf = (thing: string): string | undefined => (/^guides\/[a-z-]+$/.test(thing) ? `/${thing}` : undefined)

const open: Command = {
  words: 'open [page]',
  summary: `Open the page of an app, task, flow, trigger or engine, or one of ${Object.keys(sections).join(', ')}`,
  example: 'millrace open acme/report\nmillrace open docs',
  run: async (cli, [thing = 'console']) => {
    const section = Object.hasOwn(sections, thing) ? sections[thing] : guideOf(thing)
    const url = `${cli.openApi().url}${section ?? (await pageOf(cli.api(), thing))}`
    if (hasBrowser(cli.shell)) cli.shell.openUrl(url)
    return { text: url, json: { url } }
  },
}

export const openCommands = [open]
