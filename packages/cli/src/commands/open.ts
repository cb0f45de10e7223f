// The page of a thing: its address on stdout, and a browser where there is one.
import { isId, isShortId } from '@millrace/contract/ids'
import type { Api } from '../api/client.ts'
import type { Command } from '../command.ts'
import { CliFailure } from '../failures.ts'
import { hasBrowser } from '../login/device.ts'
import { findApp } from '../tasks/input.ts'

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

const isMissing = (error: unknown): boolean => error instanceof CliFailure && error.status === 404

/** An id does not say what it names: each kind is asked in turn. */
const pageOfId = async (api: Api, id: string): Promise<string> => {
  const path = { id }
  const kinds: (() => Promise<string>)[] = [
    async () => `/console/runs/${(await api.call('tasks.get', { path })).id}`,
    async () => `/console/flows/${(await api.call('flows.get', { path })).id}`,
    async () => {
      const run = await api.call('flow_runs.get', { path })
      return `/console/flows/${run.flow_id}?run=${run.id}`
    },
    async () => `/console/triggers/${(await api.call('triggers.get', { path })).id}`,
    async () => `/console/engines/${(await api.call('engines.get', { path })).id}`,
    async () => {
      const app = await api.call('apps.get', { path })
      return `/console/apps/${app.namespace}/${app.name}`
    },
  ]
  for (const ask of kinds) {
    const page = await ask().catch((error: unknown) => {
      if (isMissing(error)) return null
      throw error
    })
    if (page !== null) return page
  }
  throw new CliFailure(`Nothing here is called ${id}`, { code: 'not_found' })
}

const pageOf = async (api: Api, thing: string): Promise<string> => {
  if (isId(thing) || isShortId(thing)) {
    const page = await pageOfId(api, thing).catch((error: unknown) => {
      if (error instanceof CliFailure && error.code === 'not_found' && !isId(thing)) return null
      throw error
    })
    if (page !== null) return page
  }
  const app = await findApp(api, thing)
  return `/console/apps/${app.namespace}/${app.name}`
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
