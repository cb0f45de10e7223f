// The program: settings → data folder → database → server → listen → stop. Reads the environment once.
import { flushCompileCache } from 'node:module'
import { createStopRequests } from '@millrace/launch/stop-signals'
import type { Logger } from 'pino'
import { ownerSignInUrl } from '#accounts/identity/service.ts'
import { findGpus } from '#machines/engines/find-gpus.ts'
import { checkEngineSettings } from '#machines/engines/local-engine.ts'
import { createUndo } from '#platform/core/undo.ts'
import { claimDataFolder } from '#platform/db/embedded/data-folder.ts'
import { type EmbeddedPostgres, startPostgres } from '#platform/db/embedded/postgres.ts'
import { readSettings, type Settings, withPort } from '#platform/settings/settings.ts'
import { requestsHelp, settingsHelp } from '#platform/settings/settings-help.ts'
import { startTracing } from '#platform/tracing/tracing.ts'
import { rememberAddress } from './address.ts'
import { banner } from './banner.ts'
import { findLocalModels } from './local-models.ts'
import { createLog } from './log.ts'
import { openPlatform } from './platform.ts'
import { createServer } from './server.ts'
import { spareMemory } from './spare-memory.ts'
import { startProblem } from './start-problem.ts'
import { watchUncaught } from './uncaught.ts'

const started = process.hrtime.bigint()

/** Cleanup steps, run in reverse order. */
const undo = createUndo()

let known: Settings | undefined
let database: EmbeddedPostgres | null = null

const run = async (): Promise<void> => {
  const argv = process.argv.slice(2)
  if (requestsHelp(argv)) return console.log(settingsHelp())
  const given = readSettings(process.env, argv)
  known = given
  const log = createLog(given, process.stdout.isTTY === true)
  stopOnSignals(log)
  const uncaught = watchUncaught(process, { log, stop: (code) => stop(log, code) })
  await checkEngineSettings(given)

  const claim = await claimDataFolder(given.DATA_DIR)
  await undo.add(() => claim.release())
  const tracing = await startTracing(given.OTEL_EXPORTER_OTLP_ENDPOINT)
  await undo.add(() => tracing.stop())

  // With port 0, the server needs its URLs before anything uses them; with a used port, it fails before it creates a
  // database.
  const port = await freePort(given)
  const settings = withPort(given, port)
  const embedded = given.DATABASE_URL === undefined ? await startPostgres({ dataDir: given.DATA_DIR }) : null
  database = embedded
  if (embedded) await undo.add(() => embedded.stop())
  const connectionString = embedded?.connectionString ?? given.DATABASE_URL ?? ''

  // Apps reach local model servers through the embedded engine.
  const noticing = settings.ENGINE ? findLocalModels(port) : Promise.resolve([])
  const gpus = settings.ENGINE ? findGpus() : Promise.resolve([])
  const open = await openPlatform({ settings, connectionString, log, isServer: true, tracing })
  await undo.add(() => open.close())
  const server = await createServer(open, { joins: true, figures: [uncaught.figure] })
  await undo.add(() => server.stop())
  // All database work of the start happens before the first request, which could delay it.
  await rememberAddress(open.platform)
  const signInUrl = await ownerSignInUrl(open.platform)
  await server.app.listen({ host: settings.HOST, port })
  await server.listening()
  uncaught.started()

  // Node.js writes its compile cache at a clean exit only, which does not happen when the process is killed.
  flushCompileCache()
  const readyMs = Number(process.hrtime.bigint() - started) / 1e6
  const found = { localModels: await noticing, gpus: await gpus }
  console.log(await banner(open.platform, { embedded, readyMs, signInUrl, ...found }))
  spareMemory()
}

/** The configured port if it is free, or any free one for 0. */
const freePort = async ({ HOST, PORT }: Settings): Promise<number> => {
  const { createServer: createProbe } = await import('node:net')
  const probe = createProbe()
  await new Promise<void>((resolve, reject) => probe.once('error', reject).listen(PORT, HOST, resolve))
  const address = probe.address()
  await new Promise((resolve) => probe.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('No free port was found')
  return address.port
}

const stop = (log: Logger, code: number): void => {
  undo.all().then(
    () => process.exit(code),
    (error: unknown) => {
      log.error({ err: error }, 'stopping failed')
      process.exit(1)
    },
  )
}

/** The first signal stops the server. A second one exits at once, after telling the database to stop. */
const stopOnSignals = (log: Logger): void => {
  const isNewRequest = createStopRequests()
  let stopping = false
  const onSignal = (signal: NodeJS.Signals): void => {
    if (!isNewRequest(signal)) return
    if (stopping) {
      database?.letGo()
      process.exit(130)
    }
    stopping = true
    log.info({ signal }, 'stopping; a second signal exits at once')
    stop(log, 0)
  }
  process.on('SIGTERM', onSignal)
  process.on('SIGINT', onSignal)
}

run().catch(async (error: unknown) => {
  await undo.all().catch(() => undefined)
  console.error(`\n${startProblem(error, known)}\n`)
  process.exit(1)
})
