// How the embedded server is tuned: durable, small when idle. Rewritten at every start, so that a new Millrace brings its
// own values; `postgresql.conf` includes it first and belongs to the operator.
import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const defaults = {
  // Durability is the promise behind every 2xx; spelled out although these are PostgreSQL's defaults.
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  // Online file-level backup stays possible; nobody streams from an embedded server.
  wal_level: 'replica',
  max_wal_senders: '0',
  max_replication_slots: '0',
  // Bounds both the disk used and the time a restart after a crash needs.
  max_wal_size: '512MB',
  shared_buffers: '64MB',
  // A busy server takes 46 of them; operators' commands, and whoever looks at the database, come besides.
  max_connections: '80',
  huge_pages: 'off',
  // No helper processes beyond the ones that keep the database healthy.
  io_method: 'sync',
  max_logical_replication_workers: '0',
  max_parallel_workers_per_gather: '0',
  max_parallel_maintenance_workers: '0',
  max_worker_processes: '2',
  autovacuum_max_workers: '2',
  autovacuum_worker_slots: '2',
  // A plan made while a table was empty is used until statistics say otherwise: not for a whole minute of a busy first day.
  autovacuum_naptime: '15s',
  jit: 'off',
  // Work of a client that was killed stops soon, so that its locks do not outlive it.
  client_connection_check_interval: '2s',
  unix_socket_permissions: '0700',
  timezone: 'UTC',
  // Statements and values stay out of the log: failed ones are reported to the caller, who decides what to record.
  log_timezone: 'UTC',
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_checkpoints: 'off',
  log_line_prefix: '%m [%p] ',
} as const

export type PostgresSettings = Readonly<Record<string, string>>

const quoted = (value: string) => `'${value.replaceAll("'", "''")}'`

export const renderSettings = (overrides: PostgresSettings = {}): string =>
  [
    '# Written by Millrace at every start. Your own settings go into postgresql.conf, after the include.',
    ...Object.entries({ ...defaults, ...overrides }).map(([name, value]) => `${name} = ${quoted(value)}`),
    '',
  ].join('\n')

export const operatorFile = `# Settings after the include are yours and win.
include = 'millrace.conf'
`

export const writeSettings = async (pgDir: string, overrides?: PostgresSettings): Promise<void> => {
  const file = join(pgDir, 'millrace.conf')
  await writeFile(file, renderSettings(overrides))
  // Root may write it for another user, under any umask; the folder itself is private.
  await chmod(file, 0o644)
}
