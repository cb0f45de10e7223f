// The status icon and the duration of a step, for the timeline and the graph.
import type { TraceNode } from '@millrace/contract/chat-trace'
import { StatusIcon, toneOfNode } from '../ui/status.tsx'
import { durationText } from '../ui/time-text.ts'
import { strings } from './strings.ts'
import { waitsForPerson } from './trace-rows.ts'

export const StepIcon = ({ step }: { step: TraceNode }) => (
  <StatusIcon tone={waitsForPerson(step) ? 'yours' : toneOfNode(step.status)} className="size-3.5" />
)

export const StepDuration = ({ step }: { step: TraceNode }) => {
  if (waitsForPerson(step)) return strings.trace.waiting
  return step.duration_ms === undefined ? '…' : durationText(step.duration_ms)
}
