// One session of a coding agent on this machine, and what of it the server has not acknowledged.
import type { HarnessKind } from '@millrace/contract/harnesses'
import type { HarnessEvent, RemoteSessionPrompt } from '@millrace/contract/remote-frames'
import type { Driven } from './harness/driver.ts'

type Kept = { seq: number; event: HarnessEvent; bytes: number; gap: boolean }

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
  heard: Set<string>
  lastSeq: number
  kept: Kept[]
  /** What the server has been told of, on this connection; null until it says where it stands. */
  sentSeq: number | null
  /** Said and not acknowledged, also when it is not kept any more. */
  inFlight: { seq: number; bytes: number }[]
  /** Prompts of a run that follows the one under way. */
  next: RemoteSessionPrompt['data'][]
  touchedAt: Date
  idle: NodeJS.Timeout | undefined
  stopping: NodeJS.Timeout | undefined
}

/** Before its agent is started. */
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
  heard: new Set(),
  lastSeq: 0,
  kept: [],
  sentSeq: null,
  inFlight: [],
  next: [],
  touchedAt: now,
  idle: undefined,
  stopping: undefined,
})
