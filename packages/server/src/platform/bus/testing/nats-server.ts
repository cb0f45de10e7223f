// A real NATS server, if the program is installed.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { createServer } from 'node:net'

export const hasNats = (): boolean => {
  try {
    execFileSync('nats-server', ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })

export type NatsServer = { url: string; stop(): Promise<void>; start(): Promise<void> }

export const startNats = async (): Promise<NatsServer> => {
  const port = await freePort()
  let child: ChildProcess | undefined
  const start = async (): Promise<void> => {
    const started = spawn('nats-server', ['-a', '127.0.0.1', '-p', String(port)], {
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    child = started
    await new Promise<void>((resolve, reject) => {
      started.once('exit', () => reject(new Error('nats-server exited')))
      started.stderr?.on('data', (text: Buffer) => text.includes('Server is ready') && resolve())
    })
  }
  await start()
  return {
    url: `nats://127.0.0.1:${port}`,
    start,
    stop: async () => {
      const ended = new Promise<void>((resolve) => child?.once('exit', () => resolve()))
      child?.kill('SIGKILL')
      await ended
    },
  }
}
