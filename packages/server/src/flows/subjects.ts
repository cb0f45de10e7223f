// What flows say on the bus.
import type { FlowActionsEvent } from '@millrace/contract/flows'

export const flowSubject = (flowId: string): string => `flow:${flowId}`

/** A batch of actions that was applied, or word that something else about the flow is different now. */
export type FlowNews = { actions: FlowActionsEvent } | { changed: true }
