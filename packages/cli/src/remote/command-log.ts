// The log of all commands of this machine, including refused ones: one line of JSON each. A large file is cut to its
// newer half.
import { appendFileSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export const logFile = (folder: string): string => join(folder, 'commands.log')

const maxBytes = 8 * 1024 * 1024

export type LoggedCommand = {
  at: string
  exec_run_id: string
  command: string
  args: readonly string[]
  cwd: string
  pty: boolean
  refused?: string
}

export const logCommand = (folder: string, entry: LoggedCommand): void => {
  const path = logFile(folder)
  appendFileSync(path, `${JSON.stringify(entry)}\n`, { mode: 0o600 })
  if (statSync(path).size <= maxBytes) return
  const text = readFileSync(path, 'utf8')
  writeFileSync(path, text.slice(text.indexOf('\n', text.length / 2) + 1), { mode: 0o600 })
}

export const readLog = (folder: string, lines: number): LoggedCommand[] => {
  let text: string
  try {
    text = readFileSync(logFile(folder), 'utf8')
  } catch {
    return []
  }
  const kept = text.split('\n').filter((line) => line !== '')
  return kept.slice(-lines).map((line) => JSON.parse(line) as LoggedCommand)
}
