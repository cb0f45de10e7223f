// Tracing of agent runs. The span of a run is exported when the run is over. Work that the run starts has the run as
// its parent; requests of a tool have the call as their parent.
import { contextWithin } from '#platform/tracing/context.ts'
import type { SpanRecord, Tracing } from '#platform/tracing/tracing.ts'
import type { CallRow, RunRow } from '../store.ts'

const runKey = (id: string): string => `agent_run:${id}`
const callKey = (id: string): string => `tool_call:${id}`

type Traced = Pick<RunRow, 'id' | 'traceparent'>

/** The `traceparent` of work that a run starts. */
export const insideRun = ({ within }: Pick<Tracing, 'within'>, run: Traced): string =>
  within(run.traceparent, runKey(run.id))

/** The `traceparent` of a request that a call makes. */
export const insideCall = (tracing: Pick<Tracing, 'within'>, run: Traced, callId: string): string =>
  tracing.within(insideRun(tracing, run), callKey(callId))

export const spanOfRun = (run: RunRow): SpanRecord => ({
  name: 'agent run',
  kind: 'internal',
  context: contextWithin(run.traceparent, runKey(run.id)),
  parent: run.traceparent,
  startMs: Date.parse(run.started_at),
  endMs: Date.parse(run.finished_at ?? run.updated_at),
  failed: run.state !== 'completed',
  attributes: {
    'millrace.agent_run_id': run.id,
    'millrace.chat_id': run.chat_id,
    'millrace.team_id': run.team_id,
    ...(run.agent_id !== null && { 'millrace.agent_id': run.agent_id }),
  },
})

/** The span of a finished call. `endMs`: its end. */
export const spanOfCall = (tracing: Pick<Tracing, 'within'>, run: Traced, call: CallRow, endMs: number): SpanRecord => {
  const parent = insideRun(tracing, run)
  return {
    name: 'tool call',
    kind: 'internal',
    context: contextWithin(parent, callKey(call.id)),
    parent,
    startMs: Date.parse(call.created_at),
    endMs,
    failed: call.status !== 'completed',
    attributes: { 'millrace.tool_invocation_id': call.id, 'millrace.tool': call.name, 'millrace.tool_type': call.type },
  }
}
