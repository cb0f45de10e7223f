// Builds an image from this machine: the interpreter that runs the tests, a few programs, and their libraries. It needs
// no registry, so the container runtime is tested wherever docker or podman can run anything.

import { execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { findProgram } from '../runtimes/choose.ts'

const run = promisify(execFile)

export type ContainerImage = {
  program: string
  name: string
  /** Environment variables that the program needs. */
  env: Record<string, string>
  remove(): Promise<void>
}

/** Hosts where podman's default runtime does not work may have the older one. */
const olderRuntime = `[engine]
runtime = "runc"
[containers]
default_ulimits = ["nofile=4096:4096", "nproc=4096:4096"]
`

export const importImage = async (hostEnv: Record<string, string>): Promise<ContainerImage | undefined> => {
  const program = ['docker', 'podman'].find(
    (name) => findProgram(name, hostEnv) && spawnSync(name, ['info'], { stdio: 'ignore', env: hostEnv }).status === 0,
  )
  if (!program || process.platform !== 'linux') return undefined
  const root = await mkdtemp(join(tmpdir(), 'millrace-image-'))
  const name = `localhost/millrace-${basename(root).toLowerCase()}`
  await importFiles({ program, name, env: hostEnv }, await gather(join(root, 'files')))
  const settings = join(root, 'containers.conf')
  await writeFile(settings, olderRuntime)
  const env = [hostEnv, { ...hostEnv, CONTAINERS_CONF: settings }].find(
    (tried) =>
      spawnSync(program, ['run', '--rm', name, 'node', '--version'], { stdio: 'ignore', env: tried }).status === 0,
  )
  const remove = async () => {
    await run(program, ['rmi', '--force', name], { env: hostEnv })
    await rm(root, { recursive: true, force: true })
  }
  if (env) return { program, name, env, remove }
  await remove()
  return undefined
}

const gather = async (folder: string): Promise<string> => {
  const programs = { '/usr/bin/node': process.execPath, '/bin/sh': '/bin/sh', '/bin/sleep': '/bin/sleep' }
  const { stdout } = await run('ldd', Object.values(programs))
  const libraries = new Set(stdout.match(/\/\S+\.so\S*(?= \()/g))
  const files = [...Object.entries(programs), ...[...libraries].map((path) => [path, path] as const)]
  for (const [inside, path] of files) {
    await mkdir(join(folder, dirname(inside)), { recursive: true })
    await copyFile(path, join(folder, inside))
  }
  return folder
}

const importFiles = async ({ program, name, env }: Omit<ContainerImage, 'remove'>, folder: string): Promise<void> => {
  const pack = spawn('tar', ['--create', '--directory', folder, '.'], { stdio: ['ignore', 'pipe', 'inherit'] })
  const take = spawn(program, ['import', '-', name], { stdio: [pack.stdout, 'ignore', 'ignore'], env })
  const [code] = await once(take, 'exit')
  if (code !== 0) throw new Error(`${program} import ended with ${code}`)
}
