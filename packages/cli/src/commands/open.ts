// The page of a thing: its address on stdout, and a browser where there is one.
import { isId, isShortId } from '@millrace/contract/ids'
import { type Api, createApi } from '../api/client.ts'
import type { Command } from '../command.ts'
import { CliFailure } from '../failures.ts'
import { findApp, findByName, findFlow, isMissing, knownApps, knownFlows, namesOf } from '../find.ts'
import { hasBrowser } from '../login/device.ts'
import { meant, nearestRefs, saidAs } from '../near.ts'

/** Pages by name, below the address of the server. */
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

/** A sign-in that may not see a kind of thing has none of it to open. */
const isAbsent = (error: unknown): boolean =>
  isMissing(error) || (error instanceof CliFailure && error.code === 'insufficient_scope')

const orNull = <T>(asked: Promise<T>): Promise<T | null> =>
  asked.catch((error: unknown) => {
    if (isAbsent(error)) return null
    throw error
  })

/** An id does not say what it names: each kind is asked in turn. */
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
  for (const ask of kinds) {
    const page = await orNull(ask())
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

/** Everything that could have been meant. */
const suggestion = async (api: Api, thing: string): Promise<string> => {
  const refs = await Promise.all([knownApps(api), knownFlows(api)].map(orNull))
  const names = await Promise.all([namesOf(api, 'trigger'), namesOf(api, 'engine')].map(orNull))
  const own = (await api.call('me.get')).team?.username ?? ''
  const plain = [...Object.keys(sections), ...names.flatMap((list) => list ?? [])]
  return (
    meant(thing, plain) ||
    saidAs(
      nearestRefs(
        thing,
        refs.flatMap((list) => list ?? []),
        own,
      ),
    )
  )
}

const pageOf = async (signedIn: Api, thing: string): Promise<string> => {
  // Looking for a thing among kinds that a sign-in may not see asks nobody for more.
  const api = createApi(signedIn.url, signedIn.login)
  const page = isId(thing) || isShortId(thing) ? await pageOfId(api, thing) : null
  const found = page ?? (isId(thing) ? null : await pageOfName(api, thing))
  if (found !== null) return found
  throw new CliFailure(`Nothing here is called ${thing}.${await suggestion(api, thing)}`, { code: 'not_found' })
}

/** A guide is a page of the server itself; no workspace can be called so. */
const guideOf = (thing: string): string | undefined => (/^guides\/[a-z-]+$/.test(thing) ? `/${thing}` : undefined)

const open: Command = {
  words: 'open [thing]',
  summary: `Open the page of an app, a run, a flow, a trigger or an engine; or ${Object.keys(sections).join(', ')}`,
  example: 'millrace open acme/report\nmillrace open docs',
  run: async (cli, [thing = 'console']) => {
    const section = Object.hasOwn(sections, thing) ? sections[thing] : guideOf(thing)
    const url = `${cli.openApi().url}${section ?? (await pageOf(cli.api(), thing))}`
    if (hasBrowser(cli.shell)) cli.shell.openUrl(url)
    return { text: url, json: { url } }
  },
}

export const openCommands = [open]
