// One real PostgreSQL for the whole test run, with a migrated template that every test file clones.
import { chmod, mkdtemp, rm, statfs } from 'node:fs/promises'
import { freemem, tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { openDatabase } from '#platform/db/database.ts'
import { startPostgres } from '#platform/db/embedded/postgres.ts'
import { migrate } from '#platform/db/migrate.ts'
import { migrateJobs } from '#platform/jobs/jobs.ts'
import { joinPrograms } from '../../../../scripts/join-programs.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Connection string of the server; the database name is replaced per test file. */
    postgres: string
  }
}

export const templateDatabase = 'millrace_template'

/** `URL` rejects the empty host of a connection through a socket. */
export const withDatabase = (connectionString: string, database: string): string =>
  connectionString.replace(/^(\w+:\/\/[^/]*\/)[^?]*/, `$1${database}`)

/**
 * A folder in memory if possible: cloning databases and committing are several times faster there, and independent of
 * the disk.
 */
const quickestFolder = async (): Promise<string> => {
  const memory = '/dev/shm'
  try {
    const { bavail, bsize } = await statfs(memory)
    return Math.min(bavail * bsize, freemem()) > 8 * 2 ** 30 ? memory : tmpdir()
  } catch {
    return tmpdir()
  }
}

export default async ({ provide }: TestProject) => {
  const folder = await mkdtemp(join(await quickestFolder(), 'millrace-test-'))
  // Temporary files of tests are created here and deleted after the run. Writable for all, because engines run as their
  // own user.
  await chmod(folder, 0o1777)
  process.env.TMPDIR = folder
  // Programs started by tests are bundled as in `npm start`.
  await joinPrograms()
  const postgres = await startPostgres({
    dataDir: join(folder, 'postgres'),
    settings: { fsync: 'off', full_page_writes: 'off', max_connections: '300' },
  })
  const admin = new pg.Client({ connectionString: postgres.connectionString })
  await admin.connect()
  await admin.query(`create database ${templateDatabase}`)
  const template = openDatabase(withDatabase(postgres.connectionString, templateDatabase), {
    onError: (error) => console.error(error),
  })
  await migrate(template.pool)
  await migrateJobs(template.pool)
  await template.close()
  await admin.end()
  provide('postgres', postgres.connectionString)
  return async () => {
    await postgres.stop()
    await rm(folder, { recursive: true, force: true })
  }
}
