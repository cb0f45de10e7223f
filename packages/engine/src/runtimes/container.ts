// Apps inside containers of docker or podman: the image contains the interpreter; the engine mounts the runner, the
// bundle and three writable folders. The container engine enforces memory and process limits.

import { spawn } from 'node:child_process'
import { createServer } from 'node:net'
import { insideFolders } from './bubblewrap.ts'
import type { Exit, ProcessLimits, Runtime, StartRequest } from './runtime.ts'

const insidePort = 8787

export type ContainerOptions = {
  program: string
  readOnly: readonly string[]
  network?: string
  images?: { node?: string; python?: string }
  // Variables that the container program needs to find its daemon; never passed to the container.
  hostEnv: Record<string, string>
  // The owner of files that the app writes. Without capabilities, not even root may write into another user's folders.
  user?: { uid: number; gid: number }
}

export const container = (options: ContainerOptions): Runtime => ({
  name: 'container',
  listenOn: `0.0.0.0:${insidePort}`,
  interpreter: (language, path) =>
    path.startsWith(`${insideFolders.environment}/`) ? path : language === 'node' ? 'node' : 'python3',
  inside: () => insideFolders,
  scratch: ['/tmp'],
  start: async (request) => {
    const inside = insideFolders
    const name = `millrace-${request.processId}`
    const hostPort = await freePort()
    const args = containerArguments({ options, request, name, hostPort })
    const child = spawn(options.program, args, {
      // Podman's helper writes a file to its working folder when a container runs out of memory. In a folder that an
      // app can write, a link could redirect it.
      cwd: '/',
      // The container's environment is passed by name on the command line and by value here, so that no secret appears
      // in the process list.
      env: { ...splitEnvironment(request.env(inside)).byName, ...options.hostEnv },
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
      endpoint: async () => ({ host: '127.0.0.1', port: hostPort }),
      exited: exited.then((exit) => (killed ? { code: exit.code, signal: 'SIGKILL' } : exit)),
      kill: async () => {
        killed = true
        await removeContainer(options, name)
        await exited
      },
      work: () => () => {},
      unlinkedBytes: async () => 0,
      pids: () => [],
    }
  },
})

const killedText = 'the container was killed, probably because it exceeded its memory limit'

type Arguments = {
  options: ContainerOptions
  request: Omit<StartRequest, 'processId'>
  name: string
  hostPort: number
}

export const containerArguments = ({ options, request, name, hostPort }: Arguments): string[] => {
  const { folders, kernel } = request
  const inside = insideFolders
  const image =
    options.images?.[kernel.language === 'node' ? 'node' : 'python'] ?? defaultImage(kernel.language, kernel.version)
  const installs = request.purpose === 'install'
  const mount = (host: string, target: string, mode: 'ro' | 'rw') => ['--volume', `${host}:${target}:${mode}`]
  return [
    'run',
    '--rm',
    '--interactive',
    '--init',
    '--name',
    name,
    ...(installs ? [] : ['--publish', `127.0.0.1:${hostPort}:${insidePort}`]),
    ...(options.network ? ['--network', options.network] : []),
    ...userArguments(options),
    '--cap-drop',
    'ALL',
    '--security-opt',
    'no-new-privileges',
    '--read-only',
    '--tmpfs',
    '/tmp',
    ...limitArguments(request.limits),
    // The inner quotes are for the list parser of the container program, which splits at commas.
    ...(request.gpuIds.length > 0 ? ['--gpus', `"device=${request.gpuIds.join(',')}"`] : []),
    ...options.readOnly.flatMap((folder) => mount(folder, folder, 'ro')),
    ...mount(folders.bundle, inside.bundle, 'ro'),
    ...mount(folders.code, inside.code, 'rw'),
    ...mount(folders.environment, inside.environment, installs ? 'rw' : 'ro'),
    ...mount(folders.files, inside.files, 'ro'),
    ...mount(folders.data, inside.data, 'rw'),
    ...mount(folders.tmp, inside.tmp, 'rw'),
    ...mount(folders.cache, inside.cache, 'rw'),
    '--workdir',
    request.workFolder?.(inside) ?? inside.code,
    ...environmentArguments(request.env(inside)),
    image,
    ...request.command(inside),
  ]
}

// Host paths of programs and certificates do not exist in an image.
const hostOnlyVariables = new Set(['PATH', 'SSL_CERT_FILE', 'NODE_EXTRA_CA_CERTS'])

// Variables that configure the container program itself: an app must not choose its daemon or load code into it. They
// are passed on the command line instead, because none of them is a secret.
const readByContainerProgram =
  /^(HOME|TMPDIR|DOCKER_|PODMAN_|_?CONTAINER|BUILDAH|STORAGE_|REGISTR|XDG_|DBUS_|SSH_|NOTIFY_|LISTEN_|LD_|GLIBC_|GCONV_|GO|SSL|HTTPS?_PROXY|NO_PROXY)/i

const splitEnvironment = (env: Record<string, string>) => {
  const passed = Object.entries(env).filter(([name]) => !hostOnlyVariables.has(name))
  return {
    byName: Object.fromEntries(passed.filter(([name]) => !readByContainerProgram.test(name))),
    spelled: Object.fromEntries(passed.filter(([name]) => readByContainerProgram.test(name))),
  }
}

const environmentArguments = (env: Record<string, string>): string[] => {
  const { byName, spelled } = splitEnvironment(env)
  const entries = [...Object.keys(byName), ...Object.entries(spelled).map(([name, value]) => `${name}=${value}`)]
  return entries.flatMap((entry) => ['--env', entry])
}

const userArguments = ({ program, user }: ContainerOptions): string[] => {
  if (!user) return []
  // By default, rootless podman maps users into a range of its own.
  const mapping = program === 'podman' && user.uid !== 0 ? ['--userns', 'keep-id'] : []
  return [...mapping, '--user', `${user.uid}:${user.gid}`]
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

// A free port: a container's ports are fixed when it starts.
const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
