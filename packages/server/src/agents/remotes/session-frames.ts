// Applies a machine's frames about its coding agents' sessions, in order per session. Stored frames are acknowledged;
// the machine sends the others again.
import type {
  HarnessEvent,
  RemoteSessionClosed,
  RemoteSessionEvent,
  RemoteSessionOpened,
  ServerToRemote,
} from '@millrace/contract/remote-frames'
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { type SessionEvent, withDrivenChat } from '../chats/service.ts'
import * as sessions from './session-store.ts'

export type SessionFrame = RemoteSessionOpened | RemoteSessionEvent | RemoteSessionClosed

export type SessionConnection = {
  remoteId: string
  connection: number
  ctx: () => Ctx<Actor>
  send: (frame: ServerToRemote) => void
}

const toSessionEvent = ({ type, run_id: runId, payload }: HarnessEvent): SessionEvent => ({
  type,
  ...(runId && { run_id: runId }),
  payload: payload ?? {},
})

/** New events in order, without duplicates. */
const newEvents = (frames: readonly SessionFrame[], lastSeq: number): RemoteSessionEvent[] => {
  let latestSeq = lastSeq
  return frames.filter((frame): frame is RemoteSessionEvent => {
    if (frame.type !== 'remote_session_event' || frame.data.seq <= latestSeq) return false
    latestSeq = frame.data.seq
    return true
  })
}

/** Applies the frames of one session that arrived together, and returns the reply to the machine. */
const applied = async (
  ctx: Ctx<Actor>,
  place: { remoteId: string; connection: number; chatId: string },
  frames: readonly SessionFrame[],
): Promise<'unknown' | { seq: number } | undefined> =>
  withDrivenChat(ctx, place.chatId, async (chat) => {
    const session = await sessions.lockSession(ctx.db, place)
    if (!session || session.status === 'closed') return 'unknown'
    const opened = frames.findLast((frame) => frame.type === 'remote_session_opened')
    if (opened) chat.opened(opened.data.harness_session_id)
    // A session that the machine has opened again restarts its event numbers.
    const isNewSession = session.status === 'opening' && opened !== undefined
    const lastSeq = isNewSession ? Math.min(session.last_seq, opened.data.seq ?? 0) : session.last_seq
    const events = newEvents(frames, lastSeq)
    await chat.applyEvents(events.map(({ data }) => toSessionEvent(data.event)))
    const closed = frames.findLast((frame) => frame.type === 'remote_session_closed')
    if (closed) chat.failRun(closed.data.error || 'The coding agent ended')
    const seq = events.at(-1)?.data.seq ?? lastSeq
    const isOpened = opened !== undefined || events.length > 0
    const status = closed ? 'closed' : session.status === 'opening' && isOpened ? 'open' : session.status
    await sessions.changeSession(ctx.db, place.chatId, { status, last_seq: seq }, ctx.now().toISOString())
    return { seq }
  })

export const applySessionFrames = async (
  { remoteId, connection, ctx, send }: SessionConnection,
  chatId: string,
  frames: readonly SessionFrame[],
): Promise<void> => {
  const result = await ctx().tx((ctx) => applied(ctx, { remoteId, connection, chatId }, frames))
  const isOver = frames.some(({ type }) => type === 'remote_session_closed')
  if (result === undefined || result === 'unknown') {
    if (!isOver) send({ type: 'remote_session_close', data: { chat_id: chatId } })
  } else if (frames.some(({ type }) => type === 'remote_session_event'))
    send({ type: 'remote_session_ack', data: { chat_id: chatId, seq: result.seq } })
}
