// Which installation a command is about. A command for an installation never makes one: the person may be in another folder
// than they think.
import { existsSync, readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { UsageError } from './words.ts'

/** A folder that was only claimed, by a server that could not start, is none. */
const isInstallation = (folder: string): boolean =>
  existsSync(join(folder, 'postgres')) || existsSync(join(folder, 'place'))

/** `isNamed`: the person said which; otherwise what runs on this machine may tell (`processes`: where the system shows it). */
export const findInstallation = (dataDir: string, isNamed: boolean, processes = '/proc'): string => {
  if (isInstallation(dataDir)) return dataDir
  // Below the folder where it was started there is only one it can mean: the nearest above.
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

/** Of this user: what others run is not theirs to be taken for. None where the system shows no processes as files. */
const ownProcesses = (processes: string): string[] => {
  const numbers = existsSync(processes) ? readdirSync(processes).filter((name) => /^\d+$/.test(name)) : []
  return numbers
    .map((number) => join(processes, number))
    .filter((folder) => statSync(folder, { throwIfNoEntry: false })?.uid === process.getuid?.())
}

const programs = /(scripts\/start\.ts|packages\/server\/src\/start\/main\.mjs)$/

/** The data folder of a server that runs as this process; nothing for any other program, or one that has just ended. */
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
