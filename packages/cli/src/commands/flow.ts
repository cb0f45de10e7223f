// Flows: looking at them, running them, and staying with a run until it is over.
import { requestOf } from '@millrace/contract/call'
import { flowRunStatus } from '@millrace/contract/flow-run-status'
import type { FlowRun } from '@millrace/contract/flow-runs'
import type { Api } from '../api/client.ts'
import { type Cli, type Command, flag, limitOf, type Result, text } from '../command.ts'
import { exitCodes } from '../exit-codes.ts'
import { CliFailure } from '../failures.ts'
import { findFlow } from '../find.ts'
import { printable, safeText } from '../table.ts'
import { readInput } from '../tasks/input.ts'
import { linesOf } from '../tasks/stream-lines.ts'
import { ageOf, spanText } from '../times.ts'

const statusText = (status: number | undefined): string =>
  Object.entries(flowRunStatus).find(([, code]) => code === status)?.[0] ?? 'unknown'

const list: Command = {
  words: 'flow list',
  summary: 'List flows of the workspace',
  options: [['--limit <count>', 'how many (default 50)']],
  example: 'millrace flow list',
  run: async (cli, _args, options) => {
    const page = await cli.api().call('flows.list', { body: { limit: limitOf(options, 50) } })
    const now = cli.shell.now()
    const rows = page.items.map((flow) => [
      flow.short_id,
      `${flow.namespace}/${flow.name}`,
      flow.published_version_id ? 'published' : 'draft',
      ageOf(flow.updated_at, now),
      flow.title,
    ])
    return { text: cli.table(['ID', 'FLOW', 'STATE', 'CHANGED', 'TITLE'], rows), json: page }
  },
}

const show: Command = {
  words: 'flow show <flow>',
  summary: 'Show the nodes of a flow and what feeds them',
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

/** The stream tells the run anew at every change; where it breaks off, the run itself is asked. */
const untilOver = async (cli: Cli, api: Api, id: string): Promise<FlowRun> => {
  const response = await api.open(requestOf('flow_runs.stream', { path: { id } }))
  let status = -1
  for await (const line of linesOf(response.body ?? emptyBody())) {
    const told = JSON.parse(line) as { type?: string; data?: Partial<FlowRun> } & Partial<FlowRun>
    const run = told.data ?? told
    if (told.type === 'heartbeat' || run.status === undefined || run.status === status) continue
    status = run.status
    cli.hint(statusText(status))
  }
  return api.call('flow_runs.get', { path: { id } })
}

async function* emptyBody(): AsyncGenerator<Uint8Array> {}

const endOf = (cli: Cli, run: FlowRun): Result => {
  if (run.status === flowRunStatus.completed) return { text: JSON.stringify(run.output, null, 2), json: run }
  if (run.status === flowRunStatus.cancelled) return { text: '', json: run, exitCode: exitCodes.taskCancelled }
  cli.hint(`The run failed: ${safeText(run.error ?? '')}`)
  return { text: '', json: run, exitCode: exitCodes.taskFailed }
}

const run: Command = {
  words: 'flow run <flow>',
  summary: 'Run a flow',
  options: [
    ['-i, --input <input>', 'key=value, or a JSON object', 'repeats'],
    ['--input-file <path>', 'the input from a file; - for stdin'],
    ['--wait', 'wait for the end and print the output'],
  ],
  example: 'millrace flow run research/digest -i topic=tides --wait',
  run: async (cli, [ref = ''], options) => {
    const api = cli.api()
    const flow = await findFlow(api, ref)
    const input = await readInput(cli.shell, options, async () => flow.input_schema)
    const started = await api.call('flow_runs.create', { body: { flow: flow.id, input } })
    if (!flag(options, 'wait')) return { text: started.id, json: started }
    cli.hint(`Run ${started.id}`)
    const ended = await untilOver(cli, api, started.id)
    if (ended.status <= flowRunStatus.running)
      throw new CliFailure(`The connection was lost; the run goes on: millrace flow runs ${ref}`, {
        exitCode: exitCodes.unavailable,
        code: 'unreachable',
      })
    return endOf(cli, ended)
  },
}

const runs: Command = {
  words: 'flow runs [flow]',
  summary: 'List runs of flows, newest first',
  options: [['--limit <count>', 'how many (default 20)']],
  example: 'millrace flow runs research/digest',
  run: async (cli, [ref], options) => {
    const api = cli.api()
    const id = ref === undefined ? undefined : (await findFlow(api, ref)).id
    const page = await api.call('flow_runs.list', {
      body: {
        limit: limitOf(options, 20),
        filters: id === undefined ? [] : [{ field: 'flow_id', operator: 'eq', value: id }],
      },
    })
    const now = cli.shell.now()
    const rows = page.items.map((one) => [
      one.short_id,
      statusText(one.status),
      ageOf(one.created_at, now),
      spanText(one.flow_run_started, one.flow_run_finished ?? one.flow_run_cancelled, now),
      text({ error: one.error }, 'error'),
    ])
    return { text: cli.table(['ID', 'STATUS', 'AGE', 'DURATION', 'ERROR'], rows), json: page }
  },
}

const cancel: Command = {
  words: 'flow cancel <run>',
  summary: 'Cancel a run of a flow',
  example: 'millrace flow cancel 01jqv3w7',
  run: async (cli, [id = '']) => {
    const ended = await cli.api().call('flow_runs.cancel', { path: { id } })
    return { text: `${ended.id} ${statusText(ended.status)}`, json: ended }
  },
}

export const flowCommands = [list, show, run, runs, cancel]
