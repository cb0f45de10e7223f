// Supervises an engine program: restarts it on request or after a crash, forwards signals, and stops when the exit code
// says that a restart will not help.

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
  // The destination of the engine's log.
  output?: 'inherit' | 'ignore'
}

// A process that ran this long was healthy, so the restart counter is reset.
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
