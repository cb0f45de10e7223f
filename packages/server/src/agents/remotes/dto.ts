// Wire form of remotes, profiles, commands and their output.
import { type HarnessCapabilities, type HarnessKind, harnesses } from '@millrace/contract/harnesses'
import { shortId } from '@millrace/contract/ids'
import type {
  ExecChunk,
  ExecRun,
  Remote,
  RemoteProfile,
  RemoteSystemInfo,
  ReportedSystemInfo,
} from '@millrace/contract/remotes'
import { resourceFields } from '#platform/tenancy/resource.ts'
import type { ExecRow } from './exec-store.ts'
import type { ChunkRow } from './output-store.ts'
import type { ProfileRow, RemoteRow } from './store.ts'

/** Missing fields get an empty value of their type. */
export const systemInfoOf = (reported: ReportedSystemInfo | null | undefined): RemoteSystemInfo | null =>
  reported
    ? {
        hostname: reported.hostname ?? '',
        os: reported.os ?? '',
        cpus: (reported.cpus ?? []).map(({ name, cores, frequency }) => ({
          name: name ?? '',
          cores: cores ?? 0,
          frequency: String(frequency ?? ''),
        })),
        ram: { total: reported.ram?.total ?? 0 },
      }
    : null

export const profileDto = (row: ProfileRow): RemoteProfile => {
  const kind = row.harness_kind as HarnessKind
  return {
    id: row.id,
    short_id: shortId(row.id),
    created_at: row.created_at,
    updated_at: row.updated_at,
    deleted_at: null,
    remote_id: row.remote_id,
    harness_kind: kind,
    name: row.name,
    display_name: harnesses[kind].display_name,
    vendor: harnesses[kind].vendor,
    command: row.command,
    args: row.args,
    status: row.status,
    max_concurrent: row.max_concurrent,
    ...(row.version === '' ? {} : { version: row.version }),
    capabilities: row.capabilities as HarnessCapabilities,
  }
}

export const remoteDto = (row: RemoteRow, profiles: readonly ProfileRow[]): Remote => ({
  ...resourceFields(row),
  deleted_at: row.deleted_at,
  visibility: row.visibility as Remote['visibility'],
  name: row.name,
  status: row.status,
  heartbeat_at: row.heartbeat_at,
  system_info: row.system_info as RemoteSystemInfo | null,
  remote_version: row.remote_version,
  exec_enabled: row.exec_enabled,
  agents_enabled: row.agents_enabled,
  profiles: profiles.map(profileDto),
})

const droppedText = (row: ExecRow): string =>
  row.dropped_bytes === 0
    ? ''
    : `${row.dropped_bytes} bytes of output were discarded: those of chunks ${Number(row.dropped_after_seq) + 1} to ${row.dropped_to_seq}`

export const execDto = (row: ExecRow): ExecRun => ({
  ...resourceFields(row),
  visibility: 'private',
  remote_id: row.remote_id,
  command: row.command,
  args: row.args,
  cwd: row.cwd,
  env: row.env_names.map((name) => `${name}=***`),
  pty: row.pty,
  timeout_ms: row.timeout_ms,
  status: row.status,
  exit_code: row.exit_code,
  error: [row.error, droppedText(row)].filter((text) => text !== '').join('; '),
  timed_out: row.timed_out,
  started_at: row.started_at,
  ended_at: row.ended_at,
  duration_ms: row.duration_ms,
  last_seq: row.last_seq,
  output_bytes: row.output_bytes,
  dropped_bytes: row.dropped_bytes,
  requested_by: row.requested_by,
  agent_run_id: row.agent_run_id,
})

export const chunkDto = (row: ChunkRow): ExecChunk => ({
  id: `${row.exec_run_id}:${row.seq}`,
  created_at: row.created_at,
  exec_run_id: row.exec_run_id,
  seq: row.seq,
  stream: row.stream as ExecChunk['stream'],
  data: row.data.toString('base64'),
  offset: row.starts_at,
})
