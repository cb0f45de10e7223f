// One real PostgreSQL for the whole test run, with one migrated template that every test file clones.
import { mkdtemp, rm, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { openDatabase } from '../db/database.ts'
import { startPostgres } from '../db/embedded/postgres.ts'
import { migrate } from '../db/migrate.ts'
import { migrateJobs } from '../jobs/jobs.ts'

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

/** Every world is a copy of hundreds of small files: in memory that is several times quicker than on a disk. */
const quickestFolder = async (): Promise<string> => {
  const memory = '/dev/shm'
  try {
    const { bavail, bsize } = await statfs(memory)
    return bavail * bsize > 4 * 2 ** 30 ? memory : tmpdir()
  } catch {
    return tmpdir()
  }
}

export default async ({ provide }: TestProject) => {
  const dataDir = await mkdtemp(join(await quickestFolder(), 'millrace-test-'))
  const postgres = await startPostgres({
    dataDir,
    settings: { fsync: 'off', full_page_writes: 'off', max_connections: '100' },
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
    await rm(dataDir, { recursive: true, force: true })
  }
}
