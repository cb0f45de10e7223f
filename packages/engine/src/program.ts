// The engine as a program: reads its settings (the only place that does), starts, turns signals into a drain, and sets
// the exit code.

import { readFile } from 'node:fs/promises'
import { homedir, hostname } from 'node:os'
import { parseArgs } from 'node:util'
import { readConfig } from './config.ts'
import { type EngineEnd, startEngine } from './engine.ts'
import { unknownSettings } from './engine-yml.ts'
import { surviveErrors } from './error-boundary.ts'
import { exitCodes } from './exit-codes.ts'
import { messageOf } from './failures.ts'
import { closeInheritedDescriptors } from './inherited-descriptors.ts'
import { lineLog } from './log.ts'
import { createGpuReader } from './machine/gpus.ts'
import { createLimitWatch } from './machine/limit-watch.ts'
import { chooseRuntime, runtimeSettings } from './runtimes/choose.ts'
import { flags, hostEnvironment, readSettings } from './settings.ts'

const exitCodeOf = (end: EngineEnd): number => {
  if (end.reason === 'restart') return exitCodes.restart
  return end.reason === 'refused' || end.reason === 'replaced' ? exitCodes.refused : exitCodes.done
}

// Prints the runtime that an engine would use, without starting one.
const printRuntime = (setting: string | undefined): number => {
  const { name } = chooseRuntime({
    setting: runtimeSettings.find((known) => known === setting) ?? 'auto',
    limitWatch: createLimitWatch(),
    readOnly: [],
    hostEnv: hostEnvironment(process.env),
  })
  process.stdout.write(`${name}\n`)
  return exitCodes.done
}

const printGpus = async (): Promise<number> => {
  const gpus = await createGpuReader(hostEnvironment(process.env)).gpus()
  process.stdout.write(`${JSON.stringify(gpus)}\n`)
  return exitCodes.done
}

const main = async (): Promise<number> => {
  const log = lineLog((line) => process.stderr.write(line))
  // A closed stderr must not cause log messages, which would fail again.
  process.stderr.on('error', () => {})
  surviveErrors(log)
  const starting = new AbortController()
  let onSignal = () => starting.abort()
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => onSignal())
  try {
    const { values } = parseArgs({ options: flags })
    const handedOver = values['config-fd']
    closeInheritedDescriptors(handedOver === undefined ? undefined : Number(handedOver))
    if (values['which-runtime']) return printRuntime(values.runtime)
    if (values['which-gpus']) return await printGpus()
    const { version } = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8')) as {
      version: string
    }
    const settings = await readSettings(process.argv.slice(2), process.env)
    for (const unknown of unknownSettings(settings)) log('warn', `engine settings: ${unknown}`)
    const config = readConfig(settings, {
      hostname: hostname(),
      home: homedir(),
      hostEnv: hostEnvironment(process.env),
      engineVersion: `v${version}`,
    })
    const engine = await startEngine(config, { log, signal: starting.signal })
    // The first signal lets running tasks finish within a limit; the second one stops immediately.
    onSignal = () => {
      onSignal = () => void engine.stop()
      engine.drain()
      setTimeout(() => void engine.stop(), config.drainLimitMs).unref()
    }
    // A signal during the registration could not be handled yet, so it is handled now.
    if (starting.signal.aborted) onSignal()
    return exitCodeOf(await engine.finished)
  } catch (error) {
    if (starting.signal.aborted) return exitCodes.done
    log('error', 'the engine could not start', { error: messageOf(error) })
    return exitCodes.refused
  }
}

process.exit(await main())
