// Shared by the plain and the bubblewrap runtime: a child in its own session, its streams, its end, and the end of all
// its descendants.

import { type ChildProcess, spawn } from 'node:child_process'
import { type Readable, Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ControlGroups } from '../machine/control-groups.ts'
import type { LimitWatch } from '../machine/limit-watch.ts'
import { measureUnlinkedBytes, pidsMarked, pidsWithEnv } from '../machine/process-table.ts'
import type { Exit, ProcessLimits } from './runtime.ts'

export const processMark = (processId: string): string => `MILLRACE_APP_PROCESS=${processId}`

export type SessionChild = {
  stdout: Readable
  stderr: Readable
  exited: Promise<Exit>
  kill: () => Promise<void>
  work: () => () => void
  unlinkedBytes: () => Promise<number | undefined>
  pids: () => number[]
}

export type SessionChildRequest = {
  processId: string
  command: string[]
  cwd: string
  env: Record<string, string>
  limits: ProcessLimits
  limitWatch: LimitWatch
  // Identifies its processes where no sandbox or group contains them.
  mark?: number | undefined
  // If available, a cgroup contains its processes.
  groups?: ControlGroups | undefined
  // Contents of descriptor 3 and the following ones.
  handedOver?: readonly (Buffer | undefined)[]
}

export const startSessionChild = (request: SessionChildRequest): SessionChild => {
  const group = request.groups?.create(request.processId, request.limits)
  const [program = '', ...args] = [...(group?.enter ?? []), ...request.command]
  const handedOver = request.handedOver ?? []
  const child = spawn(program, args, {
    cwd: request.cwd,
    env: { ...request.env, MILLRACE_APP_PROCESS: request.processId },
    // The runner ends when stdin closes. `detached` creates a new session.
    stdio: ['pipe', 'pipe', 'pipe', ...handedOver.map((content) => (content ? 'pipe' : 'ignore'))],
    detached: true,
  })
  const { stdin, stdout, stderr } = child
  if (!stdin || !stdout || !stderr) throw new Error('the child has no streams')
  stdin.on('error', () => {})
  handOver(child, handedOver)
  let overLimit: string | undefined
  // A program that exits by itself may leave descendants behind, which are killed too.
  const exited = exitOf(child).then(async (exit) => {
    watched?.end()
    overLimit ??= group?.overLimit()
    killSession(child)
    await group?.remove()
    await killStragglers(request)
    return overLimit ? { ...exit, overLimit } : exit
  })
  const kill = async () => {
    killSession(child)
    group?.kill()
    await exited
  }
  const onOver = (what: string) => {
    overLimit = what
    void kill()
  }
  const watched =
    child.pid === undefined
      ? undefined
      : request.limitWatch.add({ sessionId: child.pid, mark: request.mark, group, limits: request.limits, onOver })
  const unlinkedBytes = async () => (child.pid === undefined ? 0 : measureUnlinkedBytes(child.pid, request.mark))
  const pids = watched?.pids ?? (() => [])
  return { stdout, stderr, exited, kill, work: watched?.work ?? (() => () => {}), unlinkedBytes, pids }
}

const handOver = (child: ChildProcess, contents: readonly (Buffer | undefined)[]): void => {
  for (const [index, content] of contents.entries()) {
    const line = child.stdio[3 + index]
    if (!content || !(line instanceof Writable)) continue
    line.on('error', () => {})
    line.end(content)
  }
}

const exitOf = (child: ChildProcess): Promise<Exit> =>
  new Promise((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }))
    child.once('error', () => resolve({ code: 127, signal: null }))
  })

// A negative pid addresses the process group: the kernel signals all members at once, so none can fork away.
const killSession = (child: ChildProcess): void => {
  if (child.pid === undefined) return
  try {
    process.kill(-child.pid, 'SIGKILL')
  } catch {
    child.kill('SIGKILL')
  }
}

// Processes that left the group still have their mark. Several rounds are needed, because each may have just started
// another one.
const killRounds = 50

const killStragglers = async ({ processId, mark }: Pick<SessionChildRequest, 'processId' | 'mark'>): Promise<void> => {
  for (let round = 0; round < killRounds; round++) {
    const marked = mark === undefined ? [] : pidsMarked((found) => found === mark)
    const pids = [...pidsWithEnv(processMark(processId)), ...marked]
    if (pids.length === 0) return
    for (const pid of pids) {
      try {
        process.kill(pid, 'SIGKILL')
      } catch {
        // It has already ended.
      }
    }
    await sleep(20)
  }
}
