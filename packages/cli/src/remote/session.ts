// One session of a coding agent on this machine, with its unacknowledged events.
import type { HarnessKind } from '@millrace/contract/harnesses'
import type { HarnessEvent, RemoteSessionPrompt } from '@millrace/contract/remote-frames'
import type { Driven } from './harness/driver.ts'

type BufferedEvent = { seq: number; event: HarnessEvent; bytes: number; gap: boolean }

export type Session = {
  chatId: string
  harness: HarnessKind
  cwd: string
  driven: Driven
  id: string
  isOpened: boolean
  isResumed: boolean
  openedSeq: number
  runId: string | null
  receivedPrompts: Set<string>
  lastSeq: number
  buffered: BufferedEvent[]
  /** The last event that was sent on this connection; null until the server reports its position. */
  sentSeq: number | null
  /** Sent and unacknowledged events, including dropped ones. */
  inFlight: { seq: number; bytes: number }[]
  /** Prompts for the runs after the current one. */
  next: RemoteSessionPrompt['data'][]
  touchedAt: Date
  idle: NodeJS.Timeout | undefined
  stopping: NodeJS.Timeout | undefined
}

/** A session whose agent is not started yet. */
export const newSession = (chatId: string, harness: HarnessKind, cwd: string, now: Date): Session => ({
  chatId,
  harness,
  cwd,
  driven: { prompt: () => {}, interrupt: () => {}, resolve: () => {}, close: () => {} },
  id: '',
  isOpened: false,
  isResumed: false,
  openedSeq: 0,
  runId: null,
  receivedPrompts: new Set(),
  lastSeq: 0,
  buffered: [],
  sentSeq: null,
  inFlight: [],
  next: [],
  touchedAt: now,
  idle: undefined,
  stopping: undefined,
})
