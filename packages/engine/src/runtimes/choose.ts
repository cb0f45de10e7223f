// Selects the runtime of a setting, and reports when the host does not support it.

import { spawnSync } from 'node:child_process'
import { closeSync, existsSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import type { ControlGroups } from '../machine/control-groups.ts'
import type { LimitWatch } from '../machine/limit-watch.ts'
import type { ProcessMarks } from '../machine/process-mark.ts'
import type { Egress } from '../outbound/egress.ts'
import { type BubblewrapFeatures, bubblewrap } from './bubblewrap.ts'
import { container } from './container.ts'
import { plainProcess } from './plain-process.ts'
import type { Runtime, RuntimeName } from './runtime.ts'
import { seccompFilter } from './seccomp.ts'

export type RuntimeSetting = RuntimeName | 'auto'
export const runtimeSettings: readonly RuntimeSetting[] = ['process', 'bubblewrap', 'container', 'auto']

export type RuntimeChoice = {
  setting: RuntimeSetting
  limitWatch: LimitWatch
  // Containers have their own.
  groups?: ControlGroups | undefined
  // Folders that every app must be able to read: the runner and the packages that come with the engine.
  readOnly: readonly string[]
  hostEnv: Record<string, string>
  network?: string
  images?: { node?: string; python?: string }
  egress?: Egress
  // Identify processes of apps where no sandbox contains them.
  marks?: ProcessMarks
}

export const chooseRuntime = (choice: RuntimeChoice): Runtime => {
  switch (choice.setting) {
    case 'process':
      return plainProcess(choice)
    case 'bubblewrap':
      return bubblewrapRuntime(choice) ?? cannot('runtime is bubblewrap, but bwrap is missing or not permitted here')
    case 'container':
      return containerRuntime(choice)
    case 'auto':
      return bubblewrapRuntime(choice) ?? plainProcess(choice)
  }
}

const cannot = (words: string): never => {
  throw new Error(words)
}

const bubblewrapRuntime = ({ hostEnv, readOnly, limitWatch, groups, egress }: RuntimeChoice): Runtime | undefined => {
  const bwrap = findProgram('bwrap', hostEnv)
  const features = bwrap && probeBubblewrap(bwrap)
  return features
    ? bubblewrap({
        ...{ bwrap, features, limitWatch, groups, egress },
        readOnly: [...readOnly, ...certificateVariables.flatMap((name) => hostEnv[name] ?? [])],
      })
    : undefined
}

// The operator's settings for certificate files outside the usual places. An app's value could expose any file.
const certificateVariables = ['SSL_CERT_FILE', 'NODE_EXTRA_CA_CERTS']

const containerRuntime = ({ readOnly, hostEnv, network, images }: RuntimeChoice): Runtime => {
  const program = ['docker', 'podman'].find((name) => findProgram(name, hostEnv) && answers(name, ['info'], hostEnv))
  if (!program) throw new Error('runtime is container, but neither docker nor podman works here')
  const uid = process.getuid?.()
  const gid = process.getgid?.()
  const user = uid === undefined || gid === undefined ? undefined : { uid, gid }
  return container({
    program,
    readOnly,
    hostEnv,
    ...(network && { network }),
    ...(images && { images }),
    ...(user && { user }),
  })
}

// Some hosts have bwrap but forbid the namespaces that it needs, and versions differ in features, so a trial run
// decides.
const probeBubblewrap = (bwrap: string): BubblewrapFeatures | undefined => {
  const namespaces = ['--unshare-pid', '--unshare-net', '--unshare-ipc', '--unshare-uts']
  const works = (...more: string[]) =>
    answers(bwrap, [...namespaces, ...more, '--ro-bind', '/', '/', '--proc', '/proc', '--dev', '/dev', 'true'], {})
  if (!works('--unshare-user-try')) return undefined
  return {
    boundsMemoryFiles: works('--unshare-user-try', '--size', '4096', '--tmpfs', '/tmp'),
    forbidsNamespaces: works('--unshare-user', '--disable-userns'),
    filter: probeFilter(bwrap),
  }
}

const probeFilter = (bwrap: string): Buffer | undefined => {
  const filter = seccompFilter()
  if (!filter) return undefined
  const folder = mkdtempSync(join(tmpdir(), 'millrace-filter-'))
  const path = join(folder, 'filter')
  writeFileSync(path, filter)
  const file = openSync(path, 'r')
  const args = ['--unshare-user-try', '--unshare-net', '--seccomp', '3', '--ro-bind', '/', '/', 'true']
  const { status } = spawnSync(bwrap, args, { stdio: ['ignore', 'ignore', 'ignore', file], env: {}, timeout: 10_000 })
  closeSync(file)
  rmSync(folder, { recursive: true })
  return status === 0 ? filter : undefined
}

const answers = (program: string, args: string[], env: Record<string, string>): boolean =>
  spawnSync(program, args, { stdio: 'ignore', env, timeout: 10_000 }).status === 0

export const findProgram = (name: string, env: Record<string, string>): string | undefined =>
  (env.PATH ?? '')
    .split(delimiter)
    .filter(Boolean)
    .map((folder) => join(folder, name))
    .find((path) => existsSync(path))
