// Flows and their runs.
import { flowRunStatus } from '@millrace/contract/flow-run-status'
import type { FlowRun } from '@millrace/contract/flow-runs'
import { flowVisibilities } from '@millrace/contract/flows'
import type { Api } from '../api/client.ts'
import {
  type Cli,
  type Command,
  type CommandOption,
  cursorOption,
  flag,
  limitOption,
  type Options,
  pageOf,
  type Result,
  text,
} from '../command.ts'
import { exitCodes } from '../exit-codes.ts'
import { findFlow, named } from '../find-refs.ts'
import { followFlowRun } from '../flows/follow.ts'
import { changesOf, deleteCommand, requireChange } from '../resource.ts'
import { printable, safeText } from '../table.ts'
import { readInput, readObject } from '../tasks/input.ts'
import { ageOf, spanText } from '../times.ts'
import { visibilityNames, visibilityOf, visibilityOption } from '../visibility.ts'

const statusText = (status: number | undefined): string =>
  Object.entries(flowRunStatus).find(([, code]) => code === status)?.[0] ?? 'unknown'

const list: Command = {
  words: 'flow list',
  summary: 'List flows of the workspace',
  options: [limitOption(50), cursorOption],
  example: 'millrace flow list',
  run: async (cli, _args, options) => {
    const page = await cli.api().call('flows.list', { body: pageOf(options, 50) })
    const now = cli.shell.now()
    const rows = page.items.map((flow) => [
      flow.short_id,
      `${flow.namespace}/${flow.name}`,
      flow.published_version_id ? 'published' : 'draft',
      visibilityNames[flow.visibility ?? 'private'],
      ageOf(flow.updated_at, now),
      flow.title,
    ])
    return { text: cli.table(['ID', 'FLOW', 'STATUS', 'VISIBILITY', 'CHANGED', 'TITLE'], rows), json: page }
  },
}

const show: Command = {
  words: 'flow show <flow>',
  summary: 'Show the nodes of a flow and their sources',
  example: 'millrace flow show research/digest',
  run: async (cli, [ref = '']) => {
    const flow = await findFlow(cli.api(), ref)
    const rows = flow.nodes.map(({ id, type }) => {
      const { app } = flow.node_data[id] ?? {}
      const { namespace, name } = (app ?? {}) as { namespace?: string; name?: string }
      const from = flow.edges.filter(({ target }) => target === id).map(({ source }) => source)
      return [id, type, name === undefined ? '' : `${namespace}/${name}`, [...new Set(from)].join(', ')]
    })
    const head = `${flow.namespace}/${flow.name}  ${flow.title}`
    return { text: `${printable(head)}\n${cli.table(['NODE', 'TYPE', 'APP', 'AFTER'], rows)}`, json: flow }
  },
}

const textOptions: readonly CommandOption[] = [
  ['--title <title>', 'title of the flow'],
  ['--description <text>', 'description of the flow'],
  ['--file <path>', 'JSON file with the draft graph: nodes, edges and the input of each node; - for stdin'],
]

const saveGraph = async ({ shell }: Cli, api: Api, options: Options, { id, name }: { id: string; name: string }) => {
  const file = text(options, 'file')
  if (file === undefined) return
  const { title, description } = await api.call('flows.get', { path: { id } })
  const body = { name, title, description, ...(await readObject(shell, file)) }
  await api.call('flows.replace', { path: { id }, body })
}

const create: Command = {
  words: 'flow create <name>',
  summary: 'Create a flow',
  options: textOptions,
  example: 'millrace flow create digest\nmillrace flow create digest --file graph.json',
  run: async (cli, [name = ''], options) => {
    const api = cli.api()
    const body = { name, ...changesOf(options, { title: 'title', description: 'description' }) }
    const created = await api.call('flows.create', { body })
    await saveGraph(cli, api, options, created)
    const flow = await api.call('flows.get', { path: { id: created.id } })
    return { text: `Created ${flow.namespace}/${flow.name}`, json: flow }
  },
}

const updateOptions: readonly CommandOption[] = [
  ['--name <name>', 'new name'],
  ...textOptions,
  visibilityOption(flowVisibilities),
]

const update: Command = {
  words: 'flow update <flow>',
  summary: 'Change the draft graph, the texts or the visibility of a flow',
  options: updateOptions,
  example: 'millrace flow update research/digest --file graph.json',
  run: async (cli, [ref = ''], options) => {
    const api = cli.api()
    requireChange(options, updateOptions)
    const visibility = visibilityOf(options, flowVisibilities)
    const body = changesOf(options, { name: 'name', title: 'title', description: 'description' })
    const { id, name } = await findFlow(api, ref)
    if (Object.keys(body).length > 0) await api.call('flows.patch', { path: { id }, body })
    await saveGraph(cli, api, options, { id, name: body.name ?? name })
    if (visibility !== undefined) await api.call('flows.set_visibility', { path: { id }, body: { visibility } })
    const flow = await api.call('flows.get', { path: { id } })
    return { text: `Updated ${flow.namespace}/${flow.name}`, json: flow }
  },
}

const remove = deleteCommand({
  noun: 'flow',
  example: 'research/digest',
  find: async (api, ref) => named(await findFlow(api, ref)),
  remove: (api, { id }) => api.call('flows.delete', { path: { id } }),
})

const waitForEnd = async (cli: Cli, api: Api, id: string): Promise<Result> => {
  const updates = followFlowRun(api, id)
  for (;;) {
    const { done, value } = await updates.next()
    if (done) return resultOf(cli, value)
    cli.hint(statusText(value))
  }
}

const resultOf = (cli: Cli, run: FlowRun): Result => {
  if (run.status === flowRunStatus.completed) return { text: JSON.stringify(run.output, null, 2), json: run }
  if (run.status === flowRunStatus.cancelled) return { text: '', json: run, exitCode: exitCodes.taskCancelled }
  cli.hint(`The flow run failed: ${safeText(run.error ?? '')}`)
  return { text: '', json: run, exitCode: exitCodes.taskFailed }
}

const run: Command = {
  words: 'flow run <flow>',
  summary: 'Run a flow',
  options: [
    ['-i, --input <input>', 'key=value, or a JSON object', 'repeats'],
    ['--input-file <path>', 'read the input from a file; - for stdin'],
    ['--wait', 'wait until the flow run ends and print its output'],
  ],
  example: 'millrace flow run research/digest -i topic=tides --wait',
  run: async (cli, [ref = ''], options) => {
    const api = cli.api()
    const flow = await findFlow(api, ref)
    const input = await readInput(cli.shell, options, async () => flow.input_schema)
    const started = await api.call('flow_runs.create', { body: { flow: flow.id, input } })
    if (!flag(options, 'wait')) return { text: started.id, json: started }
    cli.hint(`Flow run ${started.id}`)
    return waitForEnd(cli, api, started.id)
  },
}

const wait: Command = {
  words: 'flow wait <run>',
  summary: 'Wait until a flow run ends and print its output',
  example: 'millrace flow wait 01jqv3w7',
  run: async (cli, [id = '']) => waitForEnd(cli, cli.api(), id),
}

const runs: Command = {
  words: 'flow runs [flow]',
  summary: 'List flow runs, newest first',
  options: [limitOption(20), cursorOption],
  example: 'millrace flow runs\nmillrace flow runs research/digest',
  run: async (cli, [ref], options) => {
    const api = cli.api()
    const id = ref === undefined ? undefined : (await findFlow(api, ref)).id
    const filters = id === undefined ? [] : [{ field: 'flow_id', operator: 'eq', value: id } as const]
    const page = await api.call('flow_runs.list', { body: { ...pageOf(options, 20), filters } })
    const now = cli.shell.now()
    const rows = page.items.map((one) => [
      one.short_id,
      statusText(one.status),
      ageOf(one.created_at, now),
      spanText(one.flow_run_started, one.flow_run_finished ?? one.flow_run_cancelled, now),
      one.error || undefined,
    ])
    return { text: cli.table(['ID', 'STATUS', 'AGE', 'DURATION', 'ERROR'], rows), json: page }
  },
}

const cancel: Command = {
  words: 'flow cancel <run>',
  summary: 'Cancel a flow run',
  example: 'millrace flow cancel 01jqv3w7',
  run: async (cli, [id = '']) => {
    const ended = await cli.api().call('flow_runs.cancel', { path: { id } })
    return { text: `${ended.id} ${statusText(ended.status)}`, json: ended }
  },
}

export const flowCommands = [list, show, create, update, remove, run, wait, runs, cancel]
