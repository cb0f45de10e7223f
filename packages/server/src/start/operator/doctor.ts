// `millrace admin doctor`: checks the health of the installation and says what to do.
import { statfs } from 'node:fs/promises'
import { pendingMigrations } from '#platform/db/migrate.ts'
import { databaseTimeMs, databaseVersion } from '#platform/db/probe.ts'
import type { OpenPlatform } from '../platform.ts'
import type { CommandResult, OperatorCommand } from './command.ts'

type Check = { name: string; ok: boolean; found: string }

const minFreeBytes = 1024 ** 3
const maxClockSkewMs = 5000

const disk = async ({ platform }: OpenPlatform): Promise<Check> => {
  const { bavail, bsize } = await statfs(platform.settings.DATA_DIR)
  const free = bavail * bsize
  return { name: 'disk', ok: free >= minFreeBytes, found: `${(free / 1e9).toFixed(1)} GB free in the data folder` }
}

const database = async ({ platform }: OpenPlatform): Promise<Check> => {
  const version = await databaseVersion(platform.db)
  return {
    name: 'database',
    ok: version.number >= 150_000,
    found: `PostgreSQL ${version.name}; 15 or newer is required`,
  }
}

const migrations = async ({ database }: OpenPlatform): Promise<Check> => {
  const pending = await pendingMigrations(database.pool)
  return { name: 'migrations', ok: pending.length === 0, found: `${pending.length} pending` }
}

const clock = async ({ platform }: OpenPlatform): Promise<Check> => {
  const skew = Math.round(Math.abs(Date.now() - (await databaseTimeMs(platform.db))))
  return { name: 'clock', ok: skew < maxClockSkewMs, found: `${skew} ms between this machine and the database` }
}

/** The platform does not open with a wrong master key, so this only verifies a round trip. */
const encryption = async ({ platform }: OpenPlatform): Promise<Check> => {
  const sealed = await platform.keyring.seal(platform.db, 'platform', 'doctor', 'doctor')
  const opened = await platform.keyring.open(platform.db, sealed, 'doctor')
  return { name: 'encryption key', ok: opened.toString() === 'doctor', found: 'encrypted and decrypted a value' }
}

export const doctor: OperatorCommand = {
  usage: 'doctor',
  summary: 'Check disk, database, migrations, clock and encryption key',
  run: async (open): Promise<CommandResult> => {
    const checks: Check[] = []
    for (const check of [disk, database, migrations, clock, encryption]) checks.push(await check(open))
    const text = checks.map(({ name, ok, found }) => `${ok ? 'ok     ' : 'PROBLEM'} ${name}: ${found}`).join('\n')
    return checks.every((check) => check.ok)
      ? { text, json: { ok: true, checks } }
      : { text, json: { ok: false, checks }, failed: true }
  },
}
