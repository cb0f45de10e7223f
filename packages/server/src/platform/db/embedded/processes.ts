// Information about processes that may not be our children.
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'

export const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // EPERM: the process exists and belongs to another user.
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
    // For an unknown process, ps only sets its exit code.
    if (error instanceof Error && 'code' in error && error.code === 1) return ''
    throw error
  }
}

/** The command line of a process; empty if there is none, also for a zombie. */
export const commandOf = async (pid: number): Promise<string> => {
  if (!isAlive(pid)) return ''
  return process.platform === 'linux' ? linuxCommand(pid) : otherCommand(pid)
}

/** Sends a signal; ignores a process that has already ended. */
export const signal = (pid: number, name: NodeJS.Signals): void => {
  try {
    process.kill(pid, name)
  } catch (error) {
    if (!isGoneError(error)) throw error
  }
}
