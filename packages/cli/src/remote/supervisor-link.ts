// The daemon's connection to the supervisor: finds or starts the process and exchanges frames with it.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, rmSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { CliFailure } from '../failures.ts'
import { readLines, writeLine } from './lines.ts'
import { type SupervisorMessage, supervisorSocket } from './supervisor-process.ts'

export type SupervisorLink = {
  send(value: object): void
  notify(message: SupervisorMessage): void
  /** Stops reading until `resume`. */
  pause(): void
  resume(): void
  readonly closed: Promise<void>
  close(): void
}

const startMs = 10_000

const tryConnect = async (folder: string): Promise<Socket | undefined> => {
  const socket = connect(supervisorSocket(folder))
  return once(socket, 'connect').then(
    () => socket,
    () => undefined,
  )
}

export type SupervisorProgram = { folder: string; cwd: string; command: readonly string[]; env: Record<string, string> }

const start = ({ folder, cwd, command: [program = '', ...args], env }: SupervisorProgram): void => {
  // A killed supervisor leaves its socket file.
  rmSync(supervisorSocket(folder), { force: true })
  spawn(program, [...args, folder], { cwd, env, detached: true, stdio: 'ignore' }).unref()
}

export const connectSupervisor = async (
  program: SupervisorProgram,
  onFrame: (frame: unknown) => void,
): Promise<SupervisorLink> => {
  mkdirSync(program.folder, { recursive: true, mode: 0o700 })
  let socket = await tryConnect(program.folder)
  if (!socket) start(program)
  for (let waitedMs = 0; !socket && waitedMs < startMs; waitedMs += 20) {
    await sleep(20)
    socket = await tryConnect(program.folder)
  }
  if (!socket)
    throw new CliFailure(`The process that runs commands does not answer at ${supervisorSocket(program.folder)}`)
  const open = socket
  readLines(open, onFrame)
  open.on('error', () => {})
  return {
    send: (value) => void writeLine(open, value),
    notify: (message) => void writeLine(open, message),
    pause: () => open.pause(),
    resume: () => open.resume(),
    closed: once(open, 'close').then(() => undefined),
    close: () => open.end(),
  }
}
