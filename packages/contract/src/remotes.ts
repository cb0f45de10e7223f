// Schemas of remotes: people's machines, the coding agents on them, and the commands that run there.
import Type, { type Static } from 'typebox'
import { baseFields, Nullable, permissionFields, StringEnum, Timestamp } from './common.ts'
import { HarnessCapabilities, harnessKinds } from './harnesses.ts'

export const remoteStatuses = ['pending', 'running', 'disconnected', 'stopped'] as const

export const profileStatuses = ['idle', 'busy', 'unavailable'] as const

const Text = Type.String({ maxLength: 4096 })
const Maybe = <T extends Type.TSchema>(schema: T) => Type.Optional(Type.Union([schema, Type.Null()]))

/** Machines send the fields that they know. */
const ReportedSystemInfo = Type.Object({
  hostname: Maybe(Type.String({ maxLength: 255 })),
  os: Maybe(Type.String({ maxLength: 255 })),
  cpus: Maybe(
    Type.Array(
      Type.Object({
        name: Maybe(Type.String({ maxLength: 255 })),
        cores: Maybe(Type.Integer()),
        frequency: Maybe(Type.Union([Type.String({ maxLength: 64 }), Type.Number()])),
      }),
      { maxItems: 1024 },
    ),
  ),
  ram: Maybe(Type.Object({ total: Maybe(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })) })),
})
export type ReportedSystemInfo = Static<typeof ReportedSystemInfo>

export const RemoteSystemInfo = Type.Object({
  hostname: Type.String(),
  os: Type.String(),
  cpus: Type.Array(Type.Object({ name: Type.String(), cores: Type.Integer(), frequency: Type.String() })),
  ram: Type.Object({ total: Type.Integer() }),
})
export type RemoteSystemInfo = Static<typeof RemoteSystemInfo>

const HarnessEntry = Type.Object({
  kind: StringEnum(harnessKinds),
  command: Maybe(Text),
  version: Maybe(Type.String({ maxLength: 500 })),
  logged_in: Maybe(Type.Boolean()),
  capabilities: Maybe(Type.Partial(HarnessCapabilities)),
})
export type HarnessEntry = Static<typeof HarnessEntry>

const mutableFields = {
  name: Maybe(Type.String({ maxLength: 255 })),
  public_key: Maybe(Type.String({ maxLength: 1024, description: 'ed25519, base64' })),
  remote_version: Maybe(Type.String({ maxLength: 255 })),
  system_info: Maybe(ReportedSystemInfo),
  exec_enabled: Maybe(Type.Boolean()),
  agents_enabled: Maybe(Type.Boolean()),
}

export const RegisterRemote = Type.Object({
  ...mutableFields,
  harnesses: Maybe(Type.Array(HarnessEntry, { maxItems: 64 })),
})
export type RegisterRemote = Static<typeof RegisterRemote>

/** Every mutable field is written: a missing one is cleared. */
export const UpdateRemote = Type.Object(mutableFields)
export type UpdateRemote = Static<typeof UpdateRemote>

export const RemoteProfile = Type.Object({
  id: Type.String(),
  short_id: Type.String(),
  created_at: Timestamp,
  updated_at: Timestamp,
  deleted_at: Nullable(Timestamp),
  remote_id: Type.String(),
  harness_kind: StringEnum(harnessKinds),
  name: Type.String(),
  display_name: Type.String(),
  vendor: Type.String(),
  command: Type.String(),
  args: Type.Array(Type.String()),
  status: StringEnum(profileStatuses),
  max_concurrent: Type.Integer(),
  version: Type.Optional(Type.String()),
  capabilities: HarnessCapabilities,
})
export type RemoteProfile = Static<typeof RemoteProfile>

export const Remote = Type.Object({
  ...baseFields,
  ...permissionFields,
  name: Type.String(),
  status: StringEnum(remoteStatuses),
  heartbeat_at: Nullable(Timestamp),
  system_info: Nullable(RemoteSystemInfo),
  remote_version: Type.String(),
  exec_enabled: Type.Boolean(),
  agents_enabled: Type.Boolean(),
  profiles: Type.Array(RemoteProfile),
})
export type Remote = Static<typeof Remote>

export const HeartbeatBody = Type.Object({ status: Maybe(Type.String({ maxLength: 64 })) })
export const HeartbeatReply = Type.Object({ revived: Type.Boolean() })

export const execStatuses = ['pending', 'running', 'exited', 'killed', 'denied'] as const
export type ExecStatus = (typeof execStatuses)[number]
export const openExecStatuses: readonly ExecStatus[] = ['pending', 'running']
export const isOpenExec = (status: ExecStatus): boolean => openExecStatuses.includes(status)

const terminalSide = { minimum: 1, maximum: 10_000 }

/**
 * The fields of a command. The operation accepts any body, because a missing remote is reported before an invalid
 * request.
 */
export const ExecRequest = Type.Object({
  command: Type.String({ maxLength: 65_536 }),
  args: Type.Optional(Type.Array(Type.String({ maxLength: 131_072 }), { maxItems: 10_000 })),
  cwd: Type.Optional(Text),
  env: Type.Optional(
    Type.Array(Type.String({ pattern: '^[^=]+=', maxLength: 131_072, description: 'KEY=VALUE' }), { maxItems: 1_000 }),
  ),
  pty: Type.Optional(Type.Boolean()),
  timeout_ms: Type.Optional(Type.Integer({ minimum: 0, maximum: 2_147_483_647, description: '0: no limit' })),
  stdin: Type.Optional(Type.Boolean({ description: 'Connects /execs/{id}/input to the standard input' })),
  cols: Type.Optional(Type.Integer(terminalSide)),
  rows: Type.Optional(Type.Integer(terminalSide)),
})
export type ExecRequest = Static<typeof ExecRequest>

export const ExecBody = Type.Unsafe<unknown>({
  type: 'object',
  properties: Object.fromEntries(Object.keys(ExecRequest.properties).map((name) => [name, {}])),
  description: 'See ExecRequest: command (required), args, cwd, env, pty, timeout_ms, stdin, cols, rows',
})

export const requesters = ['user', 'loop', 'agent'] as const
export type Requester = (typeof requesters)[number]

export const ExecRun = Type.Object({
  ...baseFields,
  ...permissionFields,
  remote_id: Type.String(),
  command: Type.String(),
  args: Type.Array(Type.String()),
  cwd: Type.String(),
  env: Type.Array(Type.String({ description: 'Values are never shown: KEY=***' })),
  pty: Type.Boolean(),
  timeout_ms: Type.Integer(),
  status: StringEnum(execStatuses),
  exit_code: Nullable(Type.Integer()),
  error: Type.String(),
  timed_out: Type.Boolean(),
  started_at: Nullable(Timestamp),
  ended_at: Nullable(Timestamp),
  duration_ms: Nullable(Type.Integer()),
  last_seq: Type.Integer(),
  output_bytes: Type.Integer({ description: 'Total bytes of output, including discarded ones' }),
  dropped_bytes: Type.Integer({ description: 'Bytes discarded from the middle' }),
  requested_by: StringEnum(requesters),
  agent_run_id: Nullable(Type.String()),
})
export type ExecRun = Static<typeof ExecRun>

export const ExecOutputQuery = Type.Object({
  after_seq: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
  wait_ms: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 20_000,
      description: 'Milliseconds to wait for more output while the command runs',
    }),
  ),
})

export const ExecChunk = Type.Object({
  id: Type.String(),
  created_at: Timestamp,
  exec_run_id: Type.String(),
  seq: Type.Integer(),
  stream: StringEnum(['stdout', 'stderr']),
  data: Type.String({ description: 'base64' }),
  offset: Type.Integer({ description: 'Bytes of output before this chunk' }),
})
export type ExecChunk = Static<typeof ExecChunk>

export const SignalReply = Type.Object({ ok: Type.Boolean() })

export const ExecInput = Type.Object({
  data: Type.Optional(Type.String({ maxLength: 131_072, description: 'base64, at most 64 KiB decoded' })),
  eof: Type.Optional(Type.Boolean({ description: 'End of the input' })),
})

export const ExecResize = Type.Object({ cols: Type.Integer(terminalSide), rows: Type.Integer(terminalSide) })

export const SessionsQuery = Type.Object({ cwd: Type.Optional(Text) })

export const HarnessSession = Type.Object({
  harness: Type.String({ maxLength: 64 }),
  id: Type.String({ maxLength: 256 }),
  cwd: Type.Optional(Text),
  title: Type.Optional(Type.String({ maxLength: 500 })),
  updated: Type.String({ maxLength: 64 }),
  live: Type.Boolean(),
})
export type HarnessSession = Static<typeof HarnessSession>

export const LaunchBody = Type.Object({
  profile_id: Type.String({ minLength: 1, maxLength: 64 }),
  work_dir: Maybe(Text),
  resume_session_id: Maybe(Type.String({ maxLength: 1024, description: 'One of GET /remotes/{id}/sessions' })),
})
export type LaunchBody = Static<typeof LaunchBody>
