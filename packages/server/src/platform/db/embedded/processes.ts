// What the operating system says about a process we did not necessarily start.
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'

export const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // EPERM: it lives, but belongs to somebody else.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

const isGoneError = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ESRCH')

const linuxCommand = async (pid: number): Promise<string> => {
  try {
    return (await readFile(`/proc/${pid}/cmdline`, 'utf8')).replaceAll('\0', ' ')
  } catch (error) {
    if (isGoneError(error)) return ''
    throw error
  }
}

const otherCommand = async (pid: number): Promise<string> => {
  try {
    return (await promisify(execFile)('ps', ['-ww', '-o', 'command=', '-p', String(pid)])).stdout
  } catch (error) {
    // ps reports an unknown process by its exit code alone.
    if (error instanceof Error && 'code' in error && error.code === 1) return ''
    throw error
  }
}

/** The command line of a process; empty when there is none (also for a zombie, which can do no harm any more). */
export const commandOf = async (pid: number): Promise<string> => {
  if (!isAlive(pid)) return ''
  return process.platform === 'linux' ? linuxCommand(pid) : otherCommand(pid)
}

/** Sends a signal; a process that is already gone is what the sender wanted. */
export const signal = (pid: number, name: NodeJS.Signals): void => {
  try {
    process.kill(pid, name)
  } catch (error) {
    if (!isGoneError(error)) throw error
  }
}
