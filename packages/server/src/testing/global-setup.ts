// One real PostgreSQL for the whole test run, with one migrated template that every test file clones.
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

/** Not through `URL`, which refuses the empty host of a connection through a socket. */
export const withDatabase = (connectionString: string, database: string): string =>
  connectionString.replace(/^(\w+:\/\/[^/]*\/)[^?]*/, `$1${database}`)

/**
 * Every world is a copy of hundreds of small files, and every server of an end-to-end test waits for its disk at each
 * commit: in memory both are several times quicker, and no busy disk holds the run up.
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
  // Whatever a test keeps for its time lies here too, and goes with the run. Like any place for such things it is open
  // to all: engines work as a user of their own.
  await chmod(folder, 0o1777)
  process.env.TMPDIR = folder
  // The programs that tests start are loaded as `npm start` loads them.
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
