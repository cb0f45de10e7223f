// Apps inside containers of docker or podman: the image brings the interpreter, the engine brings the runner, the
// bundle and three writable folders. Memory and process limits are the container engine's.

import { spawn } from 'node:child_process'
import { createServer } from 'node:net'
import { insideFolders } from './bubblewrap.ts'
import type { Exit, ProcessLimits, Runtime, StartRequest } from './runtime.ts'

const insidePort = 8787

export type ContainerOptions = {
  program: string
  readOnly: readonly string[]
  network?: string
  images?: Partial<Record<string, string>>
  // What the container program itself needs to find its daemon; never handed to the container.
  hostEnv: Record<string, string>
}

export const container = (options: ContainerOptions): Runtime => ({
  name: 'container',
  listenOn: `0.0.0.0:${insidePort}`,
  interpreter: (language) => (language === 'node' ? 'node' : 'python3'),
  start: async (request) => {
    const inside = insideFolders(request.folders)
    const name = `millrace-${request.processId}`
    const hostPort = await freePort()
    const args = containerArguments({ options, request, name, hostPort })
    const child = spawn(options.program, args, {
      // The container's own environment is given by name on the command line and by value here, so that no secret
      // shows in the process list.
      env: { ...options.hostEnv, ...request.env(inside) },
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    child.stdin.on('error', () => {})
    const exited = new Promise<Exit>((resolve) => {
      child.once('exit', (code, signal) => resolve({ code, signal, ...(code === 137 && { overLimit: killedText }) }))
      child.once('error', () => resolve({ code: 127, signal: null }))
    })
    let killed = false
    return {
      stdout: child.stdout,
      stderr: child.stderr,
      inside,
      endpoint: () => ({ host: '127.0.0.1', port: hostPort }),
      exited: exited.then((exit) => (killed ? { code: exit.code, signal: 'SIGKILL' } : exit)),
      kill: async () => {
        killed = true
        await removeContainer(options, name)
        await exited
      },
      watch: () => () => {},
    }
  },
})

const killedText = 'the container was killed, most likely for crossing its memory limit'

type Arguments = {
  options: ContainerOptions
  request: Pick<StartRequest, 'kernel' | 'folders' | 'command' | 'env' | 'limits'>
  name: string
  hostPort: number
}

export const containerArguments = ({ options, request, name, hostPort }: Arguments): string[] => {
  const { folders, kernel } = request
  const inside = insideFolders(folders)
  const image = options.images?.[kernel.language] ?? defaultImage(kernel.language, kernel.version)
  const mount = (host: string, target: string, mode: 'ro' | 'rw') => ['--volume', `${host}:${target}:${mode}`]
  return [
    'run',
    '--rm',
    '--interactive',
    '--init',
    '--name',
    name,
    '--publish',
    `127.0.0.1:${hostPort}:${insidePort}`,
    ...(options.network ? ['--network', options.network] : []),
    '--cap-drop',
    'ALL',
    '--security-opt',
    'no-new-privileges',
    '--read-only',
    '--tmpfs',
    '/tmp',
    ...limitArguments(request.limits),
    ...options.readOnly.flatMap((folder) => mount(folder, folder, 'ro')),
    ...mount(folders.code, inside.code, 'ro'),
    ...mount(folders.files, inside.files, 'ro'),
    ...mount(folders.data, inside.data, 'rw'),
    ...mount(folders.tmp, inside.tmp, 'rw'),
    ...mount(folders.cache, inside.cache, 'rw'),
    '--workdir',
    inside.code,
    ...Object.keys(request.env(inside)).flatMap((key) => ['--env', key]),
    image,
    ...request.command(inside),
  ]
}

const limitArguments = (limits: ProcessLimits): string[] => [
  '--memory',
  String(limits.memoryBytes),
  '--memory-swap',
  String(limits.memoryBytes),
  '--pids-limit',
  String(limits.processes),
]

const defaultImage = (language: string, version: string): string =>
  language === 'node' ? `node:${version}-slim` : `python:${version}-slim`

const removeContainer = ({ program, hostEnv }: ContainerOptions, name: string): Promise<void> =>
  new Promise((resolve) => {
    const remove = spawn(program, ['rm', '--force', name], { stdio: 'ignore', env: hostEnv })
    remove.once('exit', () => resolve())
    remove.once('error', () => resolve())
  })

// A port nobody listens on now: a container's ports are fixed when it starts.
const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
