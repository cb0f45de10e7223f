// Sends a machine what its coding agents' sessions need. There is no queue: the needed state is read from the chat's
// rows and compared with what was sent on this connection. After a reconnect everything outstanding is sent again, and
// the machine ignores duplicates.
import type { ServerToRemote } from '@millrace/contract/remote-frames'
import type { Db } from '#platform/db/database.ts'
import { drivenState } from '../chats/service.ts'
import * as sessions from './session-store.ts'

/** The frames sent for one session on this connection. `endedRun`: the run that the machine itself reported as ended. */
type SentState = {
  attempt: number
  isClosed: boolean
  runId: string | null
  endedRun: string | null
  words: Set<string>
}

const newSentState = (): SentState => ({ attempt: 0, isClosed: false, runId: null, endedRun: null, words: new Set() })

export type SessionLine = {
  /** Sends what is outstanding for one chat. */
  sync(chatId: string): Promise<void>
  /** After connecting: sends the state of every session of the machine. */
  greet(): Promise<void>
  /** Sends what is outstanding for every session of the machine. */
  syncAll(): Promise<void>
  /** The machine ended the turn itself, so no stop is sent. */
  turnEnded(chatId: string): void
}

export const sessionLine = (db: Db, remoteId: string, send: (frame: ServerToRemote) => void): SessionLine => {
  const sentStates = new Map<string, SentState>()

  const once = (sent: SentState, key: string, frame: ServerToRemote): void => {
    if (sent.words.has(key)) return
    sent.words.add(key)
    send(frame)
  }

  const interrupt = (chatId: string): void => send({ type: 'remote_session_interrupt', data: { chat_id: chatId } })

  const sendOutstanding = async (chatId: string, sent: SentState): Promise<void> => {
    const { runId, prompts, answers } = await drivenState(db, chatId)
    if (sent.runId !== null && sent.runId !== runId) {
      if (sent.endedRun !== sent.runId) interrupt(chatId)
      sent.words.clear()
    }
    sent.runId = runId
    if (runId === null) return
    for (const { messageId, text } of prompts)
      once(sent, `prompt ${messageId}`, {
        type: 'remote_session_prompt',
        data: { chat_id: chatId, run_id: runId, text, message_id: messageId },
      })
    for (const { requestId, decision, reason } of answers)
      once(sent, `answer ${requestId}`, {
        type: 'remote_session_resolve',
        data: {
          chat_id: chatId,
          request_id: requestId,
          decision,
          ...(decision === 'allow' && { scope: 'once' as const }),
          ...(reason !== '' && { reason }),
        },
      })
  }

  const open = (session: sessions.SessionRow): void =>
    send({
      type: 'remote_session_open',
      data: {
        chat_id: session.chat_id,
        harness: session.harness,
        ...(session.work_dir !== '' && { cwd: session.work_dir }),
        ...(session.resume_session_id !== '' && { resume_session_id: session.resume_session_id }),
      },
    })

  const sync = async (chatId: string): Promise<void> => {
    const session = await sessions.findSession(db, remoteId, chatId)
    if (!session || session.status === 'closed') {
      sentStates.delete(chatId)
      return
    }
    const sent = sentStates.get(chatId) ?? newSentState()
    sentStates.set(chatId, sent)
    if (session.status === 'closing') {
      if (!sent.isClosed) send({ type: 'remote_session_close', data: { chat_id: chatId } })
      sent.isClosed = true
      return
    }
    if (session.status === 'opening' && sent.attempt !== session.attempt) {
      Object.assign(sent, newSentState())
      open(session)
    }
    sent.attempt = session.attempt
    await sendOutstanding(chatId, sent)
  }

  return {
    sync,
    greet: async () => {
      for (const session of await sessions.findOpenSessions(db, remoteId)) {
        const { chat_id, last_seq, status } = session
        if (status === 'open') {
          send({ type: 'remote_session_replay', data: { chat_id, after_seq: last_seq } })
          if ((await drivenState(db, chat_id)).isStopped) interrupt(chat_id)
        }
        await sync(chat_id)
      }
    },
    syncAll: async () => {
      for (const { chat_id } of await sessions.findOpenSessions(db, remoteId)) await sync(chat_id)
    },
    turnEnded: (chatId) => {
      const sent = sentStates.get(chatId)
      if (sent) sent.endedRun = sent.runId
    },
  }
}
