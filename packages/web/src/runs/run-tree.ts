// The steps of a flow run or a chat as rows of one timeline: flow, nodes, agent turns, tools. Pure.
import type { ChatTrace, TraceNode } from '@millrace/contract/chat-trace'
import { flowRunStatus } from '@millrace/contract/flow-run-status'
import type { FlowRun } from '@millrace/contract/flow-runs'
import { isRecord } from '@millrace/contract/json'
import { isTerminal, taskStatusText } from '@millrace/contract/task-status'
import type { Task } from '@millrace/contract/tasks'
import { nameOfStep, rowsOf, waitsForPerson } from '../chats/trace-rows.ts'
import { type Tone, toneOfFlowRun, toneOfNode, toneOfTask } from '../ui/status.tsx'
import { appNameOf } from './names.ts'
import { strings } from './strings.ts'

export type TreeRow = {
  id: string
  depth: number
  label: string
  /** The app of a node, if the label is the name of the node. */
  note: string
  tone: Tone
  status: string
  startMs: number
  /** Undefined while it is running. */
  endMs: number | undefined
  to: { kind: 'run' | 'chat'; id: string } | undefined
}

type TraceRow = ReturnType<typeof rowsOf>[number]

/** The run that a tool call started. */
const calledRun = ({ metadata }: TraceNode): string | undefined =>
  isRecord(metadata) && metadata.type === 'app' && typeof metadata.execution_id === 'string'
    ? metadata.execution_id
    : undefined

const stepRow = ({ node, depth }: TraceRow, deeper: number): TreeRow => {
  const startMs = Date.parse(node.created_at)
  const runId = calledRun(node)
  return {
    id: node.id,
    depth: depth + deeper,
    label: nameOfStep(node),
    note: '',
    tone: waitsForPerson(node) ? 'yours' : toneOfNode(node.status),
    status: node.status,
    startMs,
    endMs: node.duration_ms === undefined ? undefined : startMs + node.duration_ms,
    to: runId === undefined ? { kind: 'chat', id: node.graph_id } : { kind: 'run', id: runId },
  }
}

export const chatRows = (trace: ChatTrace, deeper = 0): TreeRow[] => rowsOf(trace).map((row) => stepRow(row, deeper))

const taskRow = (task: Task, node: string | undefined): TreeRow => {
  const over = isTerminal(task.status)
  return {
    id: task.id,
    depth: 1,
    label:
      node ?? (task.flow_item === undefined ? appNameOf(task) : strings.tree.item(appNameOf(task), task.flow_item)),
    // The run of an agent's node has no app.
    note: node === undefined || task.app_id === '' ? '' : appNameOf(task),
    tone: toneOfTask(task.status),
    status: taskStatusText(task.status),
    startMs: Date.parse(task.created_at),
    endMs: over ? Date.parse(task.events.at(-1)?.event_time ?? task.updated_at) : undefined,
    to: { kind: 'run', id: task.id },
  }
}

const statusNames = new Map<number, string>(Object.entries(flowRunStatus).map(([name, code]) => [code, name]))

const flowRow = (run: FlowRun, name: string): TreeRow => {
  const isOver = run.status >= flowRunStatus.completed
  const end = run.flow_run_finished ?? run.flow_run_cancelled ?? run.updated_at
  return {
    id: run.id,
    depth: 0,
    label: name,
    note: '',
    tone: toneOfFlowRun(run.status),
    status: statusNames.get(run.status) ?? '',
    startMs: Date.parse(run.created_at),
    endMs: isOver ? Date.parse(end) : undefined,
    to: undefined,
  }
}

type FlowParts = {
  run: FlowRun
  name: string
  tasks: readonly Task[]
  /** The traces of chats that nodes started, by the id of the chat. */
  traces: ReadonlyMap<string, ChatTrace>
}

type NodeOfTask = ReadonlyMap<string, string>

/** The names of the nodes by their tasks. */
export const nodesByTask = ({ node_tasks }: Pick<FlowRun, 'node_tasks'>): NodeOfTask =>
  new Map(Object.entries(node_tasks).map(([node, { task_id }]) => [task_id, node]))

/** The chat that the node of a task started. Events of a flow run do not contain it. */
export const chatOf = ({ id, chat_id }: Task, nodeOf: NodeOfTask): string | undefined =>
  nodeOf.has(id) ? (chat_id ?? undefined) : undefined

/** The tasks of the flow run in the order of their start, each with the steps of the chat that its node started. */
export const flowRows = ({ run, name, tasks, traces }: FlowParts): TreeRow[] => {
  const nodeOf = nodesByTask(run)
  // The turns of a chat are steps of its trace.
  const ordered = tasks
    .filter(({ id, chat_id }) => !chat_id || nodeOf.has(id))
    .sort((a, b) => a.created_at.localeCompare(b.created_at))
  return [
    flowRow(run, name),
    ...ordered.flatMap((task) => {
      const trace = traces.get(chatOf(task, nodeOf) ?? '')
      return [taskRow(task, nodeOf.get(task.id)), ...(trace ? chatRows(trace, 2) : [])]
    }),
  ]
}

/** From the first start to the last end, or to now while a step is running. */
export const spanOf = (rows: readonly TreeRow[], nowMs: number): { startMs: number; endMs: number } => {
  const startMs = Math.min(...rows.map((row) => row.startMs))
  return { startMs, endMs: Math.max(startMs + 1, ...rows.map(({ endMs }) => endMs ?? nowMs)) }
}
