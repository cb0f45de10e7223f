// A user service manager: systemd as it manages a person's session, with a home and a runtime folder of the test. It
// requires a machine that was booted with systemd, which a mount namespace simulates: that needs root.
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'

const program = '/lib/systemd/systemd'

export type UserManager = {
  /** For its clients. */
  readonly env: Readonly<Record<string, string>>
  /** The output of `systemctl --user`, also on errors. */
  systemctl(...words: string[]): Promise<string>
  stop(): Promise<void>
}

/** Null without systemd, or if it does not work in a namespace. */
export const startUserManager = async (home: string): Promise<UserManager | null> => {
  if (process.getuid?.() !== 0 || !existsSync(program)) return null
  const env = { PATH: process.env.PATH ?? '', HOME: home, XDG_RUNTIME_DIR: join(home, 'run') }
  await mkdir(env.XDG_RUNTIME_DIR, { mode: 0o700 })
  const machine = 'mount --make-rprivate / && mount -t tmpfs none /run && mkdir -p /run/systemd/system'
  const child = spawn('unshare', ['-m', 'sh', '-c', `${machine} && exec ${program} --user`], { env, stdio: 'ignore' })
  child.on('error', () => {})
  const systemctl = async (...words: string[]): Promise<string> => {
    const said = await promisify(execFile)('systemctl', ['--user', ...words], { env, timeout: 20_000 }).catch(
      (error: { stdout?: string }) => ({ stdout: error.stdout ?? '' }),
    )
    return said.stdout.trim()
  }
  const isUp = async () => /running|degraded/.test(await systemctl('show', '--property', 'SystemState', '--value'))
  const manager = { env, systemctl, stop: () => end(child) }
  for (let tries = 0; tries < 100 && child.exitCode === null; tries += 1) {
    if (await isUp()) return manager
    await sleep(100)
  }
  await manager.stop()
  return null
}

const end = async (child: ChildProcess): Promise<void> => {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  await ended
}
