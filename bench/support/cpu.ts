// Processor time of a process and all its descendants, in milliseconds. On a busy machine it says more than the clock.
// Null where the system has no /proc.
import { readdir, readFile } from 'node:fs/promises'

type Process = { parent: number; ownMs: number }

/** The kernel counts in hundredths of a second, whatever its own clock. */
const msPerTick = 10

const readProcess = async (pid: string): Promise<[number, Process] | null> => {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  // The second field is the name of the program, in parentheses that it may hold itself.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  if (fields.length < 13) return null
  return [Number(pid), { parent: Number(fields[1]), ownMs: (Number(fields[11]) + Number(fields[12])) * msPerTick }]
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
  return [...processes].reduce((sum, [pid, { ownMs }]) => sum + (belongs(pid) ? ownMs : 0), 0)
}
