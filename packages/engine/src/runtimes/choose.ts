// Picks the runtime a setting names, and says plainly when the host cannot offer it.

import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import type { LimitWatch } from '../machine/limit-watch.ts'
import { bubblewrap } from './bubblewrap.ts'
import { container } from './container.ts'
import { plainProcess } from './plain-process.ts'
import type { Runtime, RuntimeName } from './runtime.ts'

export type RuntimeSetting = RuntimeName | 'auto'

export type RuntimeChoice = {
  setting: RuntimeSetting
  limitWatch: LimitWatch
  // Folders every app must be able to read: the runner and the packages that come with the engine.
  readOnly: readonly string[]
  hostEnv: Record<string, string>
  network?: string
}

export const chooseRuntime = (choice: RuntimeChoice): Runtime => {
  const bwrap = findProgram('bwrap', choice.hostEnv)
  switch (choice.setting) {
    case 'process':
      return plainProcess(choice.limitWatch)
    case 'bubblewrap':
      if (!bwrap || !bubblewrapWorks(bwrap))
        throw new Error('runtime is bubblewrap, but bwrap is missing or not permitted here')
      return bubblewrap({ bwrap, readOnly: choice.readOnly, limitWatch: choice.limitWatch })
    case 'container':
      return containerRuntime(choice)
    case 'auto':
      return bwrap && bubblewrapWorks(bwrap)
        ? bubblewrap({ bwrap, readOnly: choice.readOnly, limitWatch: choice.limitWatch })
        : plainProcess(choice.limitWatch)
  }
}

const containerRuntime = ({ readOnly, hostEnv, network }: RuntimeChoice): Runtime => {
  const program = ['docker', 'podman'].find((name) => findProgram(name, hostEnv) && answers(name, ['info'], hostEnv))
  if (!program) throw new Error('runtime is container, but neither docker nor podman answers here')
  const uid = process.getuid?.()
  const gid = process.getgid?.()
  const user = uid === undefined || gid === undefined ? undefined : { uid, gid }
  return container({ program, readOnly, hostEnv, ...(network && { network }), ...(user && { user }) })
}

// Some hosts ship bwrap but forbid the namespaces it needs: only a trial tells.
const bubblewrapWorks = (bwrap: string): boolean =>
  answers(bwrap, ['--ro-bind', '/', '/', '--unshare-pid', '--proc', '/proc', 'true'], {})

const answers = (program: string, args: string[], env: Record<string, string>): boolean =>
  spawnSync(program, args, { stdio: 'ignore', env, timeout: 10_000 }).status === 0

export const findProgram = (name: string, env: Record<string, string>): string | undefined =>
  (env.PATH ?? '')
    .split(delimiter)
    .filter(Boolean)
    .map((folder) => join(folder, name))
    .find((path) => existsSync(path))
