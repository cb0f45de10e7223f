// Settings of the embedded server: durable, small when idle. The file is rewritten at every start; `postgresql.conf`
// includes it first and belongs to the operator.
import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const defaults = {
  // A 2xx response guarantees durability. These are the defaults of PostgreSQL, stated explicitly.
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  // Permits online backups of files; there is no replication from an embedded server.
  wal_level: 'replica',
  max_wal_senders: '0',
  max_replication_slots: '0',
  // Limits the used disk space and the time of recovery after a crash.
  max_wal_size: '512MB',
  shared_buffers: '64MB',
  // A busy server uses 46; the rest is for operator commands and other clients.
  max_connections: '80',
  huge_pages: 'off',
  // No helper processes except those that keep the database healthy.
  io_method: 'sync',
  max_logical_replication_workers: '0',
  max_parallel_workers_per_gather: '0',
  max_parallel_maintenance_workers: '0',
  max_worker_processes: '2',
  autovacuum_max_workers: '2',
  autovacuum_worker_slots: '2',
  // Plans for an empty table are used until new statistics exist, so statistics are refreshed soon.
  autovacuum_naptime: '15s',
  jit: 'off',
  // Statements of a killed client stop soon, so that their locks are released.
  client_connection_check_interval: '2s',
  unix_socket_permissions: '0700',
  timezone: 'UTC',
  // Statements and values are not logged; failed ones are reported to the caller.
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
