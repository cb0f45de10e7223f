// The sessions of coding agents on this machine. Each session starts once and each prompt is delivered once. Events are
// numbered and sent again from the position of the server. The agents end with the daemon; their sessions can be
// resumed.
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { type HarnessKind, harnessKinds } from '@millrace/contract/harnesses'
import type {
  RemoteSessionOpen,
  RemoteSessionPrompt,
  RemoteSessionResolve,
  RemoteToServer,
  ServerToRemote,
} from '@millrace/contract/remote-frames'
import type { HarnessSession } from '@millrace/contract/remotes'
import type { Driver } from './harness/driver.ts'
import { newSession, type Session } from './session.ts'

export type SessionParts = {
  /** Whether agents are allowed here. */
  isOn: boolean
  /** The path of each agent's program, by kind. */
  commands: ReadonlyMap<HarnessKind, string>
  drivers: Readonly<Record<HarnessKind, Driver>>
  cwd: string
  env: Readonly<Record<string, string>>
  now: () => Date
  say: (text: string) => void
}

export type Sessions = {
  /** Connects a transport, or disconnects with null. */
  connect(send: ((frame: RemoteToServer) => void) | null): void
  /** False if the frame does not belong to a session. */
  receive(frame: ServerToRemote): boolean
  close(): void
}

/**
 * The maximum of unacknowledged bytes per session. Beyond it the oldest events are dropped, and the next event reports it.
 */
const maxBufferedBytes = 4 * 1024 * 1024
/** The maximum that is in flight. */
const windowBytes = 512 * 1024
/** An agent that does not stop within this time is killed. */
const stopMs = 15_000
/** An idle agent ends after this time; the next prompt resumes its session. */
export const idleMs = 30 * 60_000

export const createSessions = (parts: SessionParts): Sessions => {
  const sessions = new Map<string, Session>()
  let send: ((frame: RemoteToServer) => void) | null = null

  const sayOpened = ({ chatId, id, isResumed, openedSeq }: Session): void =>
    send?.({
      type: 'remote_session_opened',
      data: { chat_id: chatId, harness_session_id: id, resumed: isResumed, seq: openedSeq },
    })
  const sayClosed = (chatId: string, error: string): void =>
    send?.({ type: 'remote_session_closed', data: { chat_id: chatId, ...(error !== '' && { error }) } })

  /** Sends as much as the window allows. */
  const pump = (session: Session): void => {
    const { chatId, buffered } = session
    if (!send || session.sentSeq === null) return
    const sentSeq = session.sentSeq
    let bytesInFlight = session.inFlight.reduce((sum, { bytes }) => sum + bytes, 0)
    for (const { seq, event, bytes, gap } of buffered) {
      if (seq <= sentSeq) continue
      if (bytesInFlight > windowBytes) return
      bytesInFlight += bytes
      session.sentSeq = seq
      session.inFlight.push({ seq, bytes })
      send({ type: 'remote_session_event', data: { chat_id: chatId, seq, event, ...(gap && { gap }) } })
    }
  }

  const addEvent = (session: Session, type: string, payload: Record<string, unknown>): void => {
    const event = { type, ...(session.runId !== null && { run_id: session.runId }), payload }
    session.lastSeq += 1
    session.buffered.push({ seq: session.lastSeq, event, bytes: JSON.stringify(event).length, gap: false })
    for (let total = session.buffered.reduce((sum, { bytes }) => sum + bytes, 0); total > maxBufferedBytes; ) {
      const dropped = session.buffered.length > 1 ? session.buffered.shift() : undefined
      if (!dropped) break
      total -= dropped.bytes
      const [oldest] = session.buffered
      if (oldest) oldest.gap = true
    }
    pump(session)
  }

  const end = (session: Session, error: string): void => {
    if (sessions.get(session.chatId) !== session) return
    clearTimeout(session.idle)
    clearTimeout(session.stopping)
    sessions.delete(session.chatId)
    parts.say(`${session.harness} ends${error === '' ? '' : `: ${error}`}`)
    sayClosed(session.chatId, error)
  }

  /** Starts the idle timer, unless a turn is running. */
  const startIdleTimer = (session: Session): void => {
    clearTimeout(session.idle)
    session.touchedAt = parts.now()
    session.idle = setTimeout(() => {
      if (session.runId !== null) return
      session.driven.close()
      end(session, '')
    }, idleMs)
    session.idle.unref()
  }

  const refusalOf = ({ harness, cwd, resume_session_id: id = '' }: RemoteSessionOpen['data']): string | null => {
    const kind = harnessKinds.find((one) => one === harness)
    if (!parts.isOn) return 'refused by the remote: agents are disabled (millrace remote start --agents)'
    if (!kind || !parts.commands.has(kind)) return `${harness} is not installed on this machine`
    // The id becomes an argument of the program.
    if (!/^([A-Za-z0-9][\w.:/-]*)?$/.test(id)) return `${id} is not a session id`
    const folder = resolve(parts.cwd, cwd ?? '')
    return existsSync(folder) ? null : `folder ${folder} not found`
  }

  const begin = ({ chat_id: chatId, harness, cwd, resume_session_id }: RemoteSessionOpen['data']): void => {
    const kind = harness as HarnessKind
    const folder = resolve(parts.cwd, cwd ?? '')
    parts.say(`starts  ${harness} in ${folder}`)
    const start = {
      command: parts.commands.get(kind) ?? '',
      cwd: folder,
      env: parts.env,
      resumeSessionId: resume_session_id ?? '',
    }
    const session = newSession(chatId, kind, folder, parts.now())
    sessions.set(chatId, session)
    session.driven = parts.drivers[kind](start, {
      opened: (id, resumed) => {
        Object.assign(session, { id, isResumed: resumed, isOpened: true, openedSeq: session.lastSeq })
        sayOpened(session)
        session.sentSeq ??= 0
        pump(session)
      },
      event: (type, payload) => {
        addEvent(session, type, payload)
        if (type === 'run.state_changed') turnOver(session)
      },
      closed: (error) => end(session, error),
    })
    startIdleTimer(session)
  }

  /** A repeated open of the same session does nothing. */
  const open = (data: RemoteSessionOpen['data']): void => {
    const known = sessions.get(data.chat_id)
    if (known) {
      if (!known.isOpened) return
      sayOpened(known)
      known.sentSeq ??= 0
      pump(known)
      return
    }
    const why = refusalOf(data)
    if (why === null) begin(data)
    else sayClosed(data.chat_id, why)
  }

  const turnOver = (session: Session): void => {
    session.runId = null
    clearTimeout(session.stopping)
    startIdleTimer(session)
    const waiting = session.next
    session.next = []
    for (const data of waiting) prompt(data)
  }

  const interrupt = (chatId: string): void => {
    const session = sessions.get(chatId)
    if (session?.runId == null) return
    session.driven.interrupt()
    clearTimeout(session.stopping)
    session.stopping = setTimeout(() => {
      session.driven.close()
      end(session, 'the coding agent did not stop')
    }, stopMs)
  }

  const prompt = (data: RemoteSessionPrompt['data']): void => {
    const { chat_id: chatId, run_id: runId, text, message_id } = data
    const session = sessions.get(chatId)
    if (!session) {
      sayClosed(chatId, 'unknown session')
      return
    }
    const key = message_id ?? `${runId} ${text}`
    if (session.receivedPrompts.has(key)) return
    // Late events of the previous turn must not count for this one.
    if (session.runId !== null && session.runId !== runId) {
      if (session.next.every((one) => one.message_id !== message_id)) session.next.push(data)
      return
    }
    session.receivedPrompts.add(key)
    session.runId = runId
    parts.say(`prompts ${session.harness}`)
    session.driven.prompt(text)
  }

  const replay = (chatId: string, afterSeq: number): void => {
    const session = sessions.get(chatId)
    if (!session) {
      sayClosed(chatId, 'unknown session')
      return
    }
    session.sentSeq = afterSeq
    session.inFlight = []
    pump(session)
  }

  const acknowledge = (chatId: string, seq: number): void => {
    const session = sessions.get(chatId)
    if (!session) return
    session.buffered = session.buffered.filter((buffered) => buffered.seq > seq)
    session.inFlight = session.inFlight.filter((sent) => sent.seq > seq)
    pump(session)
  }

  const listed = (cwd: string | undefined): HarnessSession[] =>
    [...sessions.values()]
      .filter((session) => session.isOpened && (cwd === undefined || session.cwd === resolve(parts.cwd, cwd)))
      .map(({ harness, id, cwd: folder, touchedAt }) => ({
        harness,
        id,
        cwd: folder,
        updated: touchedAt.toISOString(),
        live: true,
      }))

  const shut = (chatId: string): void => {
    const session = sessions.get(chatId)
    session?.driven.close()
    if (session) end(session, '')
    else sayClosed(chatId, '')
  }

  const answer = ({ chat_id, request_id, decision, reason }: RemoteSessionResolve['data']): void =>
    sessions.get(chat_id)?.driven.resolve(request_id, decision, reason ?? '')

  return {
    connect: (next) => {
      send = next
      for (const session of sessions.values()) Object.assign(session, { sentSeq: null, inFlight: [] })
    },
    receive: ({ type, data }) => {
      if (type === 'remote_session_open') open(data)
      else if (type === 'remote_session_prompt') prompt(data)
      else if (type === 'remote_session_interrupt') interrupt(data.chat_id)
      else if (type === 'remote_session_close') shut(data.chat_id)
      else if (type === 'remote_session_resolve') answer(data)
      else if (type === 'remote_session_ack') acknowledge(data.chat_id, data.seq)
      else if (type === 'remote_session_replay') replay(data.chat_id, data.after_seq)
      else if (type === 'remote_sessions_list')
        send?.({
          type: 'remote_sessions_listed',
          data: { request_id: data.request_id, sessions: listed(data.cwd) },
        })
      else return false
      return true
    },
    close: () => {
      for (const { driven } of sessions.values()) driven.close()
    },
  }
}
