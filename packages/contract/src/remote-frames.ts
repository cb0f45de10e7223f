// Schemas of the frames of the remote socket. docs/protocol/remote.md numbers the rules.
import Type, { type Static } from 'typebox'
import { HarnessSession } from './remotes.ts'

/** Decoded bytes of one chunk of output. */
export const chunkBytesLimit = 64 * 1024
/** A whole frame. */
export const frameBytesLimit = 1024 * 1024
/** Maximum unread input of a command, in bytes. */
export const inputBytesLimit = 1024 * 1024

const Id = Type.String({ minLength: 1, maxLength: 64, pattern: '^[\\w-]+$' })
const Seq = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })
const Count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })
const Text = Type.String({ maxLength: 8192 })
/** Base64 of at most 64 KiB: four digits encode three bytes, so the number of digits bounds the size. */
const Bytes = Type.String({
  maxLength: Math.ceil(chunkBytesLimit / 3) * 4,
  pattern: `^[A-Za-z0-9+/]{0,${Math.ceil((chunkBytesLimit * 4) / 3)}}={0,2}$`,
})

const frame = <const Name extends string, Data extends Type.TSchema>(type: Name, data: Data) =>
  Type.Object({ type: Type.Literal(type), data })

// --- Remote to server ---------------------------------------------------------------------------------------------

export const RemoteHeartbeat = frame('remote_heartbeat', Type.Object({ status: Type.Optional(Text) }))

export const RemoteExecOutput = frame(
  'remote_exec_output',
  Type.Object({
    exec_run_id: Id,
    seq: Seq,
    stream: Type.Union([Type.Literal('stdout'), Type.Literal('stderr')]),
    data: Bytes,
  }),
)
export type RemoteExecOutput = Static<typeof RemoteExecOutput>

export const RemoteExecExit = frame(
  'remote_exec_exit',
  Type.Object({
    exec_run_id: Id,
    exit_code: Type.Optional(Type.Union([Type.Integer({ minimum: -2147483648, maximum: 2147483647 }), Type.Null()])),
    error: Type.Optional(Type.Union([Text, Type.Null()])),
    timed_out: Type.Optional(Type.Boolean()),
    duration_ms: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
  }),
)
export type RemoteExecExit = Static<typeof RemoteExecExit>

/** All input up to `seq` was delivered to the command, or never will be. */
export const RemoteExecInputAck = frame('remote_exec_input_ack', Type.Object({ exec_run_id: Id, seq: Count }))
export type RemoteExecInputAck = Static<typeof RemoteExecInputAck>

const RemoteTerminalOutput = frame('remote_terminal_output', Type.Object({}))
const RemoteTerminalExit = frame('remote_terminal_exit', Type.Object({}))

const Maybe = <T extends Type.TSchema>(schema: T) => Type.Optional(Type.Union([schema, Type.Null()]))

export const RemoteSessionOpened = frame(
  'remote_session_opened',
  Type.Object({
    chat_id: Id,
    harness_session_id: Type.String({ maxLength: 1024 }),
    resumed: Maybe(Type.Boolean()),
    seq: Type.Optional(Count),
  }),
)
export type RemoteSessionOpened = Static<typeof RemoteSessionOpened>

/** One step of a coding agent; the type defines the payload. */
export const HarnessEvent = Type.Object({
  type: Type.String({ maxLength: 64 }),
  run_id: Maybe(Id),
  payload: Maybe(Type.Record(Type.String(), Type.Unknown())),
})
export type HarnessEvent = Static<typeof HarnessEvent>

/** `gap`: events before this one were lost on the machine. */
export const RemoteSessionEvent = frame(
  'remote_session_event',
  Type.Object({ chat_id: Id, seq: Seq, gap: Maybe(Type.Boolean()), event: HarnessEvent }),
)
export type RemoteSessionEvent = Static<typeof RemoteSessionEvent>

export const RemoteSessionClosed = frame('remote_session_closed', Type.Object({ chat_id: Id, error: Maybe(Text) }))
export type RemoteSessionClosed = Static<typeof RemoteSessionClosed>

export const RemoteSessionsListed = frame(
  'remote_sessions_listed',
  Type.Object({
    request_id: Id,
    sessions: Type.Array(HarnessSession, { maxItems: 1000 }),
    errors: Type.Optional(Type.Unknown()),
  }),
)
export type RemoteSessionsListed = Static<typeof RemoteSessionsListed>

export const RemoteToServer = Type.Union([
  RemoteHeartbeat,
  RemoteExecOutput,
  RemoteExecExit,
  RemoteExecInputAck,
  RemoteTerminalOutput,
  RemoteTerminalExit,
  RemoteSessionOpened,
  RemoteSessionEvent,
  RemoteSessionClosed,
  RemoteSessionsListed,
])
export type RemoteToServer = Static<typeof RemoteToServer>

// --- Server to remote ---------------------------------------------------------------------------------------------

export const RemoteExecStart = frame(
  'remote_exec_start',
  Type.Object({
    exec_run_id: Id,
    command: Type.String(),
    args: Type.Array(Type.String()),
    cwd: Type.String(),
    env: Type.Array(Type.String()),
    pty: Type.Boolean(),
    timeout_ms: Count,
    stdin: Type.Optional(Type.Boolean()),
    cols: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000 })),
    rows: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000 })),
  }),
)
export type RemoteExecStart = Static<typeof RemoteExecStart>

const RemoteExecSignal = frame('remote_exec_signal', Type.Object({ exec_run_id: Id, signal: Type.String() }))
const RemoteExecReplay = frame('remote_exec_replay', Type.Object({ exec_run_id: Id, after_seq: Count }))
const RemoteExecAck = frame('remote_exec_ack', Type.Object({ exec_run_id: Id, seq: Count, exited: Type.Boolean() }))
const RemoteExecInput = frame(
  'remote_exec_input',
  Type.Object({ exec_run_id: Id, seq: Seq, data: Bytes, eof: Type.Optional(Type.Boolean()) }),
)
export type RemoteExecInput = Static<typeof RemoteExecInput>
const RemoteExecResize = frame(
  'remote_exec_resize',
  Type.Object({
    exec_run_id: Id,
    cols: Type.Integer({ minimum: 1, maximum: 10_000 }),
    rows: Type.Integer({ minimum: 1, maximum: 10_000 }),
  }),
)
const RemoteSessionsList = frame(
  'remote_sessions_list',
  Type.Object({ request_id: Id, cwd: Type.Optional(Type.String()) }),
)

const RemoteSessionOpen = frame(
  'remote_session_open',
  Type.Object({
    chat_id: Id,
    harness: Type.String({ maxLength: 64 }),
    cwd: Type.Optional(Type.String({ maxLength: 4096 })),
    resume_session_id: Type.Optional(Type.String({ maxLength: 1024 })),
  }),
)
export type RemoteSessionOpen = Static<typeof RemoteSessionOpen>

/** Repeated after a reconnect: the remote ignores a known `message_id`. */
const RemoteSessionPrompt = frame(
  'remote_session_prompt',
  Type.Object({ chat_id: Id, run_id: Id, text: Type.String(), message_id: Type.Optional(Id) }),
)
export type RemoteSessionPrompt = Static<typeof RemoteSessionPrompt>

const RemoteSessionResolve = frame(
  'remote_session_resolve',
  Type.Object({
    chat_id: Id,
    request_id: Type.String({ maxLength: 256 }),
    decision: Type.Union([Type.Literal('allow'), Type.Literal('deny')]),
    scope: Type.Optional(Type.Union([Type.Literal('once'), Type.Literal('session'), Type.Literal('always')])),
    reason: Type.Optional(Type.String()),
  }),
)
export type RemoteSessionResolve = Static<typeof RemoteSessionResolve>

const ofChat = Type.Object({ chat_id: Id })
const RemoteSessionInterrupt = frame('remote_session_interrupt', ofChat)
const RemoteSessionClose = frame('remote_session_close', ofChat)
const RemoteSessionAck = frame('remote_session_ack', Type.Object({ chat_id: Id, seq: Count }))
const RemoteSessionReplay = frame('remote_session_replay', Type.Object({ chat_id: Id, after_seq: Count }))

export const ServerToRemote = Type.Union([
  RemoteExecStart,
  RemoteExecSignal,
  RemoteExecReplay,
  RemoteExecAck,
  RemoteExecInput,
  RemoteExecResize,
  RemoteSessionsList,
  RemoteSessionOpen,
  RemoteSessionPrompt,
  RemoteSessionInterrupt,
  RemoteSessionClose,
  RemoteSessionResolve,
  RemoteSessionAck,
  RemoteSessionReplay,
])
export type ServerToRemote = Static<typeof ServerToRemote>
