// Connects to the database of a data folder, whether or not its server runs. Used by the CLI.
import { setTimeout as sleep } from 'node:timers/promises'
import { claimDataFolder, tryClaimDataFolder } from './data-folder.ts'
import type { Log } from './launch.ts'
import { findRunningPostgres, startPostgres } from './postgres.ts'

export type OpenDatabase = { connectionString: string; close(): Promise<void> }

// A server that has locked the folder may still be starting (a first start takes seconds) or stopping.
const maxWaitMs = 20_000

export const connectOrStart = async (options: { dataDir: string; log?: Log }): Promise<OpenDatabase> => {
  const startedAt = performance.now()
  do {
    const attempt = await tryClaimDataFolder(options.dataDir)
    if (attempt.kind === 'claimed') {
      try {
        const postgres = await startPostgres(options)
        const close = () => postgres.stop().finally(attempt.claim.release)
        return { connectionString: postgres.connectionString, close }
      } catch (error) {
        await attempt.claim.release()
        throw error
      }
    }
    const running = await findRunningPostgres(options.dataDir)
    if (running !== null) return { ...running, close: async () => {} }
    await sleep(100)
  } while (performance.now() - startedAt < maxWaitMs)
  // The folder is locked, but there is no database: fail with the name of the process that holds the lock.
  await (await claimDataFolder(options.dataDir)).release()
  throw new Error(`The database in ${options.dataDir} is shutting down. Try again.`)
}
