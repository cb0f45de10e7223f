// Runs a program to its end, handing its output over line by line and keeping the last lines for an error message.

import { spawn } from 'node:child_process'
import { splitLines } from '../app-process/log-lines.ts'
import { TaskStopped } from '../failures.ts'

const keptLines = 50

export type CommandRequest = {
  command: string[]
  cwd: string
  env: Record<string, string>
  timeoutMs: number
  signal: AbortSignal
  onLine: (line: string) => void
}
export type CommandResult = { code: number; lastLines: string[] }

export const runCommand = (request: CommandRequest): Promise<CommandResult> =>
  new Promise((resolve, reject) => {
    const [program = '', ...args] = request.command
    const child = spawn(program, args, {
      cwd: request.cwd,
      env: request.env,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    })
    const lastLines: string[] = []
    const keep = (line: string) => {
      request.onLine(line)
      lastLines.push(line)
      if (lastLines.length > keptLines) lastLines.shift()
    }
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', splitLines('', { line: keep, marker: () => {} }))

    const end = () => {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
    }
    const timer = setTimeout(() => {
      keep(`stopped after ${Math.round(request.timeoutMs / 1000)} s`)
      end()
    }, request.timeoutMs)
    const abort = () => end()
    request.signal.addEventListener('abort', abort, { once: true })
    const settle = (act: () => void) => {
      clearTimeout(timer)
      request.signal.removeEventListener('abort', abort)
      act()
    }
    child.once('error', (error) => settle(() => resolve({ code: 127, lastLines: [...lastLines, error.message] })))
    child.once('close', (code) =>
      settle(() =>
        request.signal.aborted ? reject(new TaskStopped('stopped')) : resolve({ code: code ?? 1, lastLines }),
      ),
    )
  })
