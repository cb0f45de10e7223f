// A driver runs one session of a coding agent and translates its protocol to the events of the server.
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'

export type DriverEvents = {
  opened(sessionId: string, resumed: boolean): void
  /** An event of the current turn. */
  event(type: string, payload: Record<string, unknown>): void
  /** Called once, as the last event. The error is empty after a normal end. */
  closed(error: string): void
}

export type Decision = 'allow' | 'deny'

export type Driven = {
  /** Starts a turn, or adds to the current one. */
  prompt(text: string): void
  interrupt(): void
  resolve(requestId: string, decision: Decision, reason: string): void
  close(): void
}

export type DriverStart = {
  command: string
  cwd: string
  env: Readonly<Record<string, string>>
  resumeSessionId: string
}

export type Driver = (start: DriverStart, events: DriverEvents) => Driven

export const endTurn = (events: DriverEvents, state: 'completed' | 'failed' | 'canceled', error = ''): void =>
  events.event('run.state_changed', { from_state: 'working', to_state: state, ...(error !== '' && { error }) })

export type Program = {
  say(value: object): void
  kill(): void
}

const lineLimit = 8 * 1024 * 1024
const maxErrorCharacters = 2_000

/** A program that exchanges lines of JSON. `onEnd` is called once, with its last error output. */
export const startProgram = (
  { command, cwd, env }: DriverStart,
  args: readonly string[],
  onLine: (value: Record<string, unknown>) => void,
  onEnd: (error: string) => void,
): Program => {
  const child: ChildProcessByStdio<Writable, Readable, Readable> = spawn(command, [...args], {
    cwd,
    env,
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  let complaint = ''
  let isOver = false
  const end = (error: string): void => {
    if (isOver) return
    isOver = true
    onEnd(error)
  }
  const kill = (): void => {
    if (child.pid === undefined) return
    try {
      process.kill(-child.pid, 'SIGKILL')
    } catch {
      // The program and its children have already ended.
    }
  }
  child.on('error', (error) => end(error.message))
  child.stdin.on('error', () => {})
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaint = (complaint + text).slice(-maxErrorCharacters)
  })
  createInterface({ input: child.stdout, crlfDelay: Number.POSITIVE_INFINITY }).on('line', (line) => {
    if (line.length > lineLimit) return
    try {
      const value: unknown = JSON.parse(line)
      if (typeof value === 'object' && value !== null && !isOver) onLine(value as Record<string, unknown>)
    } catch {
      // Some programs print plain text before the first frame.
    }
  })
  child.on('close', (code) => {
    kill()
    end(code === 0 ? '' : complaint.trim() || `the program ended with ${code ?? 'a signal'}`)
  })
  return { say: (value) => void child.stdin.write(`${JSON.stringify(value)}\n`), kill }
}

export const recordOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {}

export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
