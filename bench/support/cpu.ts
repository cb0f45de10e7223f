// Processor time of a process and all its descendants, those that have ended included, in milliseconds. On a busy machine it says more than the clock.
// Null where the system has no /proc.
import { readdir, readFile } from 'node:fs/promises'

type Process = {
  parent: number
  ownMs: number
  /** Of its children that have ended: without it, a child that ends would take its time out of the sum. */
  endedMs: number
}

/** The kernel counts in hundredths of a second, whatever its own clock. */
const msPerTick = 10

const readProcess = async (pid: string): Promise<[number, Process] | null> => {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  // The second field is the name of the program, in parentheses that it may hold itself.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  if (fields.length < 15) return null
  const [own = 0, ownOfKernel = 0, ended = 0, endedOfKernel = 0] = fields.slice(11, 15).map(Number)
  return [
    Number(pid),
    { parent: Number(fields[1]), ownMs: (own + ownOfKernel) * msPerTick, endedMs: (ended + endedOfKernel) * msPerTick },
  ]
}

export const cpuMs = async (root: number): Promise<number | null> => {
  const names = await readdir('/proc').catch(() => null)
  if (!names) return null
  const read = await Promise.all(names.filter((name) => /^\d+$/.test(name)).map(readProcess))
  const processes = new Map(read.filter((one) => one !== null))
  const belongs = (pid: number): boolean => {
    const parent = processes.get(pid)?.parent
    return pid === root || (parent !== undefined && parent !== 0 && belongs(parent))
  }
  return [...processes].reduce((sum, [pid, { ownMs, endedMs }]) => sum + (belongs(pid) ? ownMs + endedMs : 0), 0)
}

/** Of one process: its first thread, which runs the program of a Node process, and all others. */
export const threadsMs = async (pid: number): Promise<{ first: number; others: number }> => {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => [])
  const read = await Promise.all(threads.map((thread) => readProcess(`${pid}/task/${thread}`)))
  const sum = (isFirst: boolean): number =>
    read.reduce((ms, one, place) => ms + (one && (threads[place] === `${pid}`) === isFirst ? one[1].ownMs : 0), 0)
  return { first: sum(true), others: sum(false) }
}
