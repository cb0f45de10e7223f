// The built-in tools that only need the chat: plan, memory, widgets, finish, search. Pure: the chat's data goes in; the
// result of the call and the changed data come out.
import type { AgentData, PlanStep } from '@millrace/contract/chats'
import { isRecord, own } from '@millrace/contract/json'
import { compileSchema } from '#execution/apps/service.ts'
import { definitionOf, type OfferedTool, searchTools } from './offered.ts'
import { readSurface } from './widgets.ts'

export type InternalOutcome = {
  status: 'completed' | 'failed' | 'awaiting_input'
  result?: string
  data?: unknown
  widget?: unknown
  /** The chat's data after the call; undefined if unchanged. */
  agentData?: AgentData
  /** The new output of the chat. */
  output?: { value: unknown }
}

const done = (value: unknown, more: Omit<InternalOutcome, 'status' | 'result'> = {}): InternalOutcome => ({
  status: 'completed',
  result: typeof value === 'string' ? value : JSON.stringify(value),
  ...more,
})
const failed = (result: string): InternalOutcome => ({ status: 'failed', result })

const maxMemoryBytes = 256 * 1024

type Arguments = Record<string, unknown>

const planCreate = (data: AgentData, given: Arguments): InternalOutcome => {
  const steps = (given.steps as { title: string; description?: string }[]).map(
    ({ title, description = '' }, index): PlanStep => ({ index, title, description, status: 'pending' }),
  )
  return done({ steps: steps.length }, { agentData: { ...data, plan_steps: steps } })
}

const planUpdate = (data: AgentData, given: Arguments): InternalOutcome => {
  const step = data.plan_steps.find(({ index }) => index === given.index)
  if (!step) return failed(`Step ${String(given.index)} not found; the plan has ${data.plan_steps.length} steps`)
  const changed: PlanStep = {
    ...step,
    ...(given.status !== undefined && { status: given.status as PlanStep['status'] }),
    ...(typeof given.notes === 'string' && { notes: given.notes }),
  }
  const plan_steps = data.plan_steps.map((one) => (one === step ? changed : one))
  return done(changed, { agentData: { ...data, plan_steps } })
}

const memorySet = (data: AgentData, { key, value }: Arguments): InternalOutcome => {
  const memory = { ...data.memory, [String(key)]: value }
  if (JSON.stringify(memory).length > maxMemoryBytes) return failed('The memory is full; shorten it first')
  return done('saved', { agentData: { ...data, memory } })
}

const memoryGet = (data: AgentData, { key }: Arguments): InternalOutcome => {
  const value = own(data.memory, String(key))
  return value === undefined ? failed(`Note ${String(key)} not found`) : done(value)
}

const widget = (given: Arguments): InternalOutcome => {
  const read = readSurface(given)
  if ('fault' in read) return failed(read.fault)
  return read.isInteractive
    ? { status: 'awaiting_input', widget: read.surface }
    : done('shown', { widget: read.surface })
}

const finish = (given: Arguments, outputSchema: unknown): InternalOutcome => {
  const { status, result = null, error } = given
  if (outputSchema !== undefined && status === 'succeeded') {
    const fault = compileSchema(outputSchema).fault(result, 'result')
    if (fault !== null) return failed(`${fault}. Call finish again with a valid result.`)
  }
  const data = { status, result, ...(typeof error === 'string' && { error }) }
  return done('finished', { data, output: { value: result } })
}

export type InternalCall = {
  operation: string
  arguments: Arguments
  agentData: AgentData
  tools: ReadonlyMap<string, OfferedTool>
  outputSchema: unknown
  /** The reply of `host_context_get`. */
  host: () => Record<string, unknown>
}

/** Undefined for a built-in tool that needs more than the chat. */
export const runInternal = (call: InternalCall): InternalOutcome | undefined => {
  const { agentData: data, arguments: given } = call
  switch (call.operation) {
    case 'plan_create':
      return planCreate(data, given)
    case 'plan_update':
      return planUpdate(data, given)
    case 'plan_load':
      return done({ steps: data.plan_steps })
    case 'memory_set':
      return memorySet(data, given)
    case 'memory_get':
      return memoryGet(data, given)
    case 'memory_get_all':
      return done(data.memory)
    case 'widget_ui':
      return widget(given)
    case 'widget_html':
      return done('shown', {
        widget: { html: given.html, ...(isRecord(given) && given.title !== undefined && { title: given.title }) },
      })
    case 'finish':
      return finish(given, call.outputSchema)
    case 'host_context_get':
      return done(call.host())
    case 'tool_search':
      return done(searchTools(call.tools, String(given.query)).map((tool) => definitionOf(tool).function))
    default:
      return undefined
  }
}
