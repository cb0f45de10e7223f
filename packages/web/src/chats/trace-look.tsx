// How a step stands, in the list and in the graph alike.
import type { TraceNode } from '@millrace/contract/chat-trace'
import { StatusIcon, toneOfNode } from '../ui/status.tsx'
import { durationText } from '../ui/time-text.ts'
import { waitsForPerson } from './trace-rows.ts'

export const StepIcon = ({ step }: { step: TraceNode }) => (
  <StatusIcon tone={waitsForPerson(step) ? 'yours' : toneOfNode(step.status)} className="size-3.5" />
)

/** What waits has no duration to speak of: nothing happens meanwhile. */
export const StepTook = ({ step }: { step: TraceNode }) => {
  if (waitsForPerson(step)) return 'waits'
  return step.duration_ms === undefined ? '…' : durationText(step.duration_ms)
}
