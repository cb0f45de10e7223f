// Keeps an engine program running: starts it again when it asks for it or dies, hands signals on, and gives up when it
// says that starting again will not help.

import { type ChildProcess, spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { exitCodes } from './exit-codes.ts'
import { backoffMs } from './link/backoff.ts'

export const engineMain = fileURLToPath(new URL('./main.mjs', import.meta.url))

export type SuperviseOptions = {
  command: readonly string[]
  env: Record<string, string | undefined>
  signal: AbortSignal
  onStart?: (child: ChildProcess) => void
  delayMs?: (failures: number) => number
  // Where the engine's own diary goes.
  output?: 'inherit' | 'ignore'
}

// A process that lived this long was fine: its death starts the count anew.
const healthyMs = 60_000

export const supervise = async (options: SuperviseOptions): Promise<number> => {
  const delayMs = options.delayMs ?? ((failures) => backoffMs(failures, Math.random()))
  for (let failures = 0; ; ) {
    const beganAt = Date.now()
    const code = await runOnce(options)
    if (options.signal.aborted || code === exitCodes.done || code === exitCodes.refused) return code
    if (code === exitCodes.restart || Date.now() - beganAt > healthyMs) failures = 0
    if (code !== exitCodes.restart)
      await sleep(delayMs(failures++), undefined, { signal: options.signal }).catch(() => {})
    if (options.signal.aborted) return code
  }
}

const runOnce = ({ command, env, signal, onStart, output = 'inherit' }: SuperviseOptions): Promise<number> =>
  new Promise((resolve) => {
    const [program = '', ...args] = command
    const child = spawn(program, args, { env, stdio: ['ignore', output, output] })
    onStart?.(child)
    const hand = () => void child.kill('SIGTERM')
    signal.addEventListener('abort', hand, { once: true })
    const settle = (code: number) => {
      signal.removeEventListener('abort', hand)
      resolve(code)
    }
    child.once('exit', (code) => settle(code ?? 1))
    child.once('error', () => settle(127))
  })
