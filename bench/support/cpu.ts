// Processor time in milliseconds of a process and all its descendants, including those that have ended. On a busy
// machine it is more reliable than wall time. Null on systems without /proc.
import { readdir, readFile } from 'node:fs/promises'

type Process = {
  parent: number
  ownMs: number
  /** Of its ended children; otherwise an ended child would reduce the sum. */
  endedMs: number
}

/** The unit of the kernel is always a hundredth of a second. */
const msPerTick = 10

const readProcess = async (pid: string): Promise<[number, Process] | null> => {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  // The second field is the program name in parentheses, which may contain parentheses.
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

/** Of one process: its first thread, which is the main thread of Node, and all others. */
export const threadsMs = async (pid: number): Promise<{ first: number; others: number }> => {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => [])
  const read = await Promise.all(threads.map((thread) => readProcess(`${pid}/task/${thread}`)))
  const sum = (isFirst: boolean): number =>
    read.reduce((ms, one, place) => ms + (one && (threads[place] === `${pid}`) === isFirst ? one[1].ownMs : 0), 0)
  return { first: sum(true), others: sum(false) }
}
