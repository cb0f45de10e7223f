// Describes this machine: name, system, processors, memory and coding agents. Whether an agent is signed in is checked
// by the existence of its file, which is not read.
import { execFile } from 'node:child_process'
import { accessSync, constants, existsSync } from 'node:fs'
import { arch, cpus, hostname, release, totalmem, type } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import type { HarnessKind } from '@millrace/contract/harnesses'
import type { HarnessEntry, RemoteSystemInfo } from '@millrace/contract/remotes'

export const systemInfo = (): RemoteSystemInfo => {
  const byName = Map.groupBy(cpus(), ({ model }) => model)
  return {
    hostname: hostname(),
    os: `${type()} ${release()} ${arch()}`,
    cpus: [...byName].map(([name, cores]) => ({ name, cores: cores.length, frequency: `${cores[0]?.speed ?? 0}` })),
    ram: { total: totalmem() },
  }
}

type AgentProgram = { binary: string; signIn: readonly string[] }

const known: Readonly<Record<HarnessKind, AgentProgram>> = {
  claude: { binary: 'claude', signIn: ['.claude/.credentials.json', '.claude.json'] },
  codex: { binary: 'codex', signIn: ['.codex/auth.json'] },
  cursor: { binary: 'cursor-agent', signIn: ['.cursor/cli-config.json', '.config/cursor/auth.json'] },
  gemini: { binary: 'gemini', signIn: ['.gemini/oauth_creds.json'] },
  goose: { binary: 'goose', signIn: ['.config/goose/config.yaml'] },
  kiro: { binary: 'kiro-cli', signIn: ['.kiro/auth.json', '.local/share/kiro-cli/data.sqlite3'] },
}

const isProgram = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

const versionOf = async (command: string): Promise<string> =>
  promisify(execFile)(command, ['--version'], { timeout: 5_000, maxBuffer: 64 * 1024 }).then(
    ({ stdout }) => stdout.split('\n')[0]?.trim().slice(0, 200) ?? '',
    () => '',
  )

export const findHarnesses = async (path: string, home: string): Promise<HarnessEntry[]> => {
  const folders = path.split(delimiter).filter((folder) => folder !== '')
  const found = Object.entries(known).map(async ([kind, { binary, signIn }]) => {
    const command = folders.map((folder) => join(folder, binary)).find(isProgram)
    if (command === undefined) return []
    const version = await versionOf(command)
    const loggedIn = signIn.some((file) => existsSync(join(home, file)))
    return [{ kind: kind as HarnessKind, command, version, logged_in: loggedIn }]
  })
  return (await Promise.all(found)).flat()
}
