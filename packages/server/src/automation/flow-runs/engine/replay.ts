// Repeats a recorded run without starting anything: results of apps, agents, flows and waits come from the record, in
// the recorded order. Finds the first place where the plan, or an expression, now gives another value.
import { isDeepStrictEqual } from 'node:util'
import type { FlowRunDifference } from '@millrace/contract/flow-runs'
import {
  advance,
  begin,
  type Chance,
  endWait,
  loopTask,
  type Progress,
  type ReusedNode,
  retryNode,
  type Slices,
} from './advance.ts'
import type { Plan, PlanNode } from './plan.ts'
import { freshState, type NodeState, type RunState } from './state.ts'
import { isRunOver } from './statuses.ts'

type Outcome = { output: unknown } | { error: string; code: string } | 'cancelled'

/** The tasks of a node in the order of their start: its attempts and repetitions. */
export type RecordedTask = { input: unknown; outcome: Outcome }

export type Recording = {
  run: Pick<RunState, 'status' | 'input' | 'failOnError' | 'output' | 'error' | 'nodes'>
  tasks: ReadonlyMap<string, RecordedTask[]>
  /** The numbers of the events of each node in the log. */
  order: ReadonlyMap<string, readonly number[]>
}

type Replay = {
  plan: Plan
  recording: Recording
  tasksLeft: Map<string, RecordedTask[]>
  /** The number of events of each node so far. */
  seen: Map<string, number>
  inputs: Map<string, unknown>
  state: RunState
  chance: Chance
}

/** As values are stored: without undefined members. */
const same = (a: unknown, b: unknown): boolean =>
  isDeepStrictEqual(JSON.parse(JSON.stringify(a ?? null)), JSON.parse(JSON.stringify(b ?? null)))

const difference = (
  node_id: string,
  field: FlowRunDifference['field'],
  recorded: unknown,
  replayed: unknown,
): FlowRunDifference | undefined =>
  same(recorded, replayed) ? undefined : { node_id, field, recorded: recorded ?? null, replayed: replayed ?? null }

/** Random values are taken from the record. */
const isRandom = ({ data }: PlanNode): boolean =>
  data.utility?.random === true || [data.utility?.selector, data.selector_config].some((one) => one?.mode === 'random')

const randomNodes = (plan: Plan, { run }: Recording): ReusedNode[] =>
  Array.from(plan.nodes.values()).flatMap((node): ReusedNode[] => {
    const original = run.nodes.get(node.id)
    return isRandom(node) && original?.status === 'completed' ? [{ nodeId: node.id, output: original.output }] : []
  })

const outcomeOf = (node: NodeState | undefined): Outcome | undefined => {
  if (node?.status === 'completed') return { output: node.output ?? null }
  if (node?.status === 'failed') return { error: node.error, code: node.code ?? 'task_failed' }
  return node?.status === 'cancelled' ? 'cancelled' : undefined
}

const resultFor = (nodeId: string, taskId: string, outcome: Outcome) => {
  const base = { nodeId, taskId }
  if (outcome === 'cancelled') return { ...base, outcome }
  return 'error' in outcome
    ? { ...base, outcome: 'failed' as const, ...outcome }
    : { ...base, outcome: 'completed' as const, ...outcome }
}

/** Yields regularly. Undefined if everything is equal. `urlOf`: the resume URLs of the recorded run. */
export function* replayRun(
  plan: Plan,
  recording: Recording,
  urlOf: Chance['urlOf'],
): Generator<undefined, FlowRunDifference | undefined> {
  const { run } = recording
  const chance: Chance = { nowMs: 0, random: () => 0, newTaskId: () => 'replayed', urlOf }
  const tasksLeft = new Map(Array.from(recording.tasks, ([id, tasks]) => [id, [...tasks]]))
  const state = freshState(plan)
  const replay: Replay = { plan, recording, tasksLeft, seen: new Map(), inputs: new Map(), state, chance }
  const request = { input: run.input, failOnError: run.failOnError, reused: randomNodes(plan, recording) }
  let progress = yield* begin(plan, request, chance)
  for (;;) {
    const changed = take(replay, progress)
    if (changed) return changed
    const nodeId = isRunOver(replay.state.status) ? undefined : nextNode(replay)
    const next = nodeId === undefined ? undefined : endOf(replay, nodeId)
    if (next === undefined) return endDifference(replay)
    if ('node_id' in next) return next
    progress = yield* next
  }
}

/** Takes a step over, and compares the results that the run computed itself. */
const take = (replay: Replay, { state, events, commands }: Progress): FlowRunDifference | undefined => {
  replay.state = state
  for (const command of commands) if (command.type === 'start') replay.inputs.set(command.nodeId, command.input)
  for (const event of events) {
    if (!('node_id' in event)) continue
    replay.seen.set(event.node_id, (replay.seen.get(event.node_id) ?? 0) + 1)
    if (event.type !== 'node_completed' || event.output === undefined) continue
    const original = replay.recording.run.nodes.get(event.node_id)
    const before = original?.status === 'completed' ? original.output : undefined
    const changed = difference(event.node_id, 'output', before, event.output)
    if (changed) return changed
  }
  return undefined
}

/** The active node whose next event comes first in the log. */
const nextNode = ({ state, recording, seen }: Replay): string | undefined => {
  const active = Array.from(state.nodes).filter(
    ([, { status }]) => status === 'running' || status === 'ready' || status === 'waiting',
  )
  const seqOf = (id: string): number => recording.order.get(id)?.[seen.get(id) ?? 0] ?? Number.MAX_SAFE_INTEGER
  return active.map(([id]) => id).sort((a, b) => seqOf(a) - seqOf(b))[0]
}

/** The step that ends the current state of a node as recorded, or the difference that it shows. */
const endOf = (replay: Replay, nodeId: string): Slices | FlowRunDifference | undefined => {
  const { plan, state, chance, recording } = replay
  const node = state.nodes.get(nodeId)
  const recorded = recording.run.nodes.get(nodeId)
  const outcome = outcomeOf(recorded)
  if (node?.status === 'running') return endOfTask(replay, nodeId, node.taskId, outcome)
  if (node?.status === 'ready') {
    chance.nowMs = Math.max(chance.nowMs, node.retryAtMs)
    return retryNode(plan, state, nodeId, chance)
  }
  if (node?.status !== 'waiting' || outcome === undefined || outcome === 'cancelled') return undefined
  if (node.kind === 'items') return advance(plan, state, [resultFor(nodeId, loopTask, outcome)], chance)
  chance.nowMs = Math.max(chance.nowMs, node.untilMs ?? 0)
  const isResumed = recorded?.status === 'completed' && recorded.output !== undefined
  const end = isResumed ? { event: 'resumed' as const, data: recorded.output } : { event: 'due' as const }
  return endWait(plan, state, nodeId, end, chance)
}

const endOfTask = (replay: Replay, nodeId: string, taskId: string, last: Outcome | undefined) => {
  const task = replay.tasksLeft.get(nodeId)?.shift()
  const changed = task && difference(nodeId, 'input', task.input, replay.inputs.get(nodeId))
  if (changed) return changed
  // A rerun keeps the tasks of the run before it, and a task that could not start has no row: only the end is known.
  const outcome = task ? attemptOf(task.outcome, last) : last
  if (outcome === undefined) return difference(nodeId, 'status', 'not started', 'running')
  return advance(replay.plan, replay.state, [resultFor(nodeId, taskId, outcome)], replay.chance)
}

/** An attempt that timed out has a cancelled task, but its node went on. */
const attemptOf = (attempt: Outcome, last: Outcome | undefined): Outcome => {
  if (attempt !== 'cancelled' || last === 'cancelled' || last === undefined) return attempt
  return 'error' in last ? last : { error: 'timed out', code: 'timed_out' }
}

const shown = (node: NodeState | undefined): string => node?.status ?? 'pending'

const endDifference = ({ plan, recording: { run }, state }: Replay): FlowRunDifference | undefined => {
  for (const id of plan.nodes.keys()) {
    const changed = difference(id, 'status', shown(run.nodes.get(id)), shown(state.nodes.get(id)))
    if (changed) return changed
  }
  return (
    difference('', 'status', run.status, state.status) ??
    difference('', 'output', run.output, state.output) ??
    difference('', 'error', run.error, state.error)
  )
}
