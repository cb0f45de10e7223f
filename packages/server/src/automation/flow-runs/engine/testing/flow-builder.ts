// Test support: a compact notation for graphs, and a driver that simulates tasks.
import type { FlowGraph, FlowNode, NodeData, OutputMapping } from '@millrace/contract/flows'
import type { Chance, Progress, Slices, TaskResult } from '../advance.ts'
import * as engine from '../advance.ts'
import { compilePlan, type Plan } from '../plan.ts'
import type { StartTask } from '../start-task.ts'
import type { RunState } from '../state.ts'

export type NodeSpec = {
  type?: FlowNode['type']
  data?: NodeData
  inputs?: Record<string, unknown>
  /** Node ids; `id:handle` is an edge from another output than the normal one. */
  after?: string[]
}

export const graphOf = (
  nodes: Record<string, NodeSpec>,
  rest: { mappings?: Record<string, OutputMapping>; schema?: unknown } = {},
): FlowGraph => ({
  nodes: Object.entries(nodes).map(([id, { type = 'appNode' }]) => ({ id, type, position: { x: 0, y: 0 } })),
  edges: Object.entries(nodes).flatMap(([target, { after = [] }]) =>
    after.map((link) => {
      const [source = '', source_handle] = link.split(':')
      return { id: `${link}-${target}`, type: 'default', source, target, ...(source_handle && { source_handle }) }
    }),
  ),
  node_data: Object.fromEntries(
    Object.entries(nodes).map(([id, { type = 'appNode', data }]) => [
      id,
      { ...(type === 'appNode' && { app_id: 'app' }), ...data },
    ]),
  ),
  input: Object.fromEntries(Object.entries(nodes).flatMap(([id, { inputs }]) => (inputs ? [[id, inputs]] : []))),
  input_schema: rest.schema ?? null,
  output_schema: null,
  output_mappings: rest.mappings ?? {},
})

export const planOf = (...args: Parameters<typeof graphOf>): Plan => compilePlan(graphOf(...args))

export const from = (nodeId: string, key = '', handle?: string) => ({
  connection: { nodeId, key, ...(handle !== undefined && { handle }) },
})

export const chanceAt = (nowMs = 1_000): Chance => {
  let tasks = 0
  return { nowMs, random: () => 0.5, newTaskId: () => `task-${nowMs}-${++tasks}`, urlOf: (nodeId) => `url:${nodeId}` }
}

export const started = (progress: Progress): StartTask[] =>
  progress.commands.filter((command) => command.type === 'start')

/** Runs all slices without yielding. */
export const atOnce = (slices: Slices): Progress => {
  for (;;) {
    const next = slices.next()
    if (next.done) return next.value
  }
}

export const begin = (...args: Parameters<typeof engine.begin>): Progress => atOnce(engine.begin(...args))
export const advance = (...args: Parameters<typeof engine.advance>): Progress => atOnce(engine.advance(...args))
export const endWait = (...args: Parameters<typeof engine.endWait>): Progress => atOnce(engine.endWait(...args))
export const retryNode = (...args: Parameters<typeof engine.retryNode>): Progress => atOnce(engine.retryNode(...args))

type Outcome = { output: unknown } | { error: string; code?: string }

/** Ends the running task of a node. */
export const finish = (plan: Plan, state: RunState, nodeId: string, outcome: Outcome, nowMs = 2_000): Progress => {
  const node = state.nodes.get(nodeId)
  const taskId = node?.status === 'running' ? node.taskId : 'none'
  const result: TaskResult =
    'error' in outcome
      ? { nodeId, taskId, outcome: 'failed', error: outcome.error, code: outcome.code ?? 'task_failed' }
      : { nodeId, taskId, outcome: 'completed', output: outcome.output }
  return advance(plan, state, [result], chanceAt(nowMs))
}
