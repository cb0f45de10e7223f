// Finds the installation of a command. A command for an existing installation never creates one, because the user may
// be in another folder than expected.
import { existsSync, readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { UsageError } from './command.ts'

/** A folder with a lock file only, from a server that could not start, is not an installation. */
const isInstallation = (folder: string): boolean =>
  existsSync(join(folder, 'postgres')) || existsSync(join(folder, 'place'))

/**
 * `isNamed`: the folder was given explicitly; otherwise running servers are considered (`processes`: the /proc folder).
 */
export const findInstallation = (dataDir: string, isNamed: boolean, processes = '/proc'): string => {
  if (isInstallation(dataDir)) return dataDir
  // In a subfolder, the nearest installation above is meant.
  for (let at = dirname(resolve(dataDir)); at !== dirname(at); at = dirname(at))
    if (isInstallation(join(at, basename(dataDir)))) return join(at, basename(dataDir))
  const running = isNamed ? [] : [...new Set(ownProcesses(processes).flatMap(folderOfServer))].filter(isInstallation)
  const [only, ...others] = running
  if (only !== undefined && others.length === 0) return only
  throw new UsageError(
    running.length > 0
      ? `There is no Millrace installation in ${resolve(dataDir)}, and several are running here. Name one with --data-dir: ${running.join(', ')}`
      : `There is no Millrace installation in ${resolve(dataDir)}. Go to the folder where it was started, or name its data folder with --data-dir (or its database with --database-url).`,
  )
}

/** Processes of this user only. Empty if the system has no /proc. */
const ownProcesses = (processes: string): string[] => {
  const numbers = existsSync(processes) ? readdirSync(processes).filter((name) => /^\d+$/.test(name)) : []
  return numbers
    .map((number) => join(processes, number))
    .filter((folder) => statSync(folder, { throwIfNoEntry: false })?.uid === process.getuid?.())
}

const programs = /(scripts\/start\.ts|packages\/server\/src\/start\/main\.mjs)$/

/** The data folder of a server process; empty for other programs and processes that have ended. */
const folderOfServer = (folder: string): string[] => {
  const words = (file: string): string[] => readFileSync(join(folder, file), 'utf8').split('\0').filter(Boolean)
  try {
    const command = words('cmdline')
    const program = command.findIndex((word) => programs.test(word))
    if (program === -1) return []
    const environment = Object.fromEntries(words('environ').map((word) => word.split(/=(.*)/s)))
    const { values } = parseArgs({
      args: command.slice(program + 1),
      strict: false,
      options: { 'data-dir': { type: 'string' } },
    })
    const dataDir = String(values['data-dir'] ?? environment.DATA_DIR ?? '.millrace')
    return [resolve(readlinkSync(join(folder, 'cwd')), dataDir)]
  } catch {
    return []
  }
}
