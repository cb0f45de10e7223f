// Guarantees: an installed remote starts with the person's session and restarts after a crash, with a real systemd.
// Skipped without systemd or without root.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type CliContext, type Ended, runCli } from './support/cli.ts'
import { signIn } from './support/operator.ts'
import { type ServerProcess, startServer } from './support/server.ts'
import { startUserManager } from './support/user-manager.ts'

const unit = 'millrace-remote.service'
const home = await mkdtemp(join(tmpdir(), 'millrace-session-'))
const manager = await startUserManager(home)

let server: ServerProcess
let context: CliContext

afterAll(async () => {
  await manager?.stop()
  await server?.remove()
  await rm(home, { recursive: true, force: true })
})

describe.skipIf(manager === null)('a remote as a service', () => {
  beforeAll(async () => {
    server = await startServer({ env: { ENGINE: 'false' } })
    const owner = await signIn(server.dataDir, 'ada@mill.example', 'lab')
    const env = { MILLRACE_API_URL: server.url, ...manager?.env }
    context = { cwd: home, configDir: join(home, 'config'), env }
    expect(await runCli(context, ['login', '--key'], owner.session_token)).toMatchObject({ code: 0 })
  }, 300_000)

  const exec = (): Promise<Ended> => runCli(context, ['remote', 'exec', 'served', '--yes', '--', 'echo', 'here'])
  const pid = async (): Promise<number> =>
    Number(await manager?.systemctl('show', '--property', 'MainPID', '--value', unit))

  it('starts after its installation', async () => {
    const { code, err } = await runCli(context, ['remote', 'install', '--name', 'served', '--exec', '--allow', 'echo'])
    expect([code, err]).toEqual([0, expect.not.stringContaining('did not work')])
    expect(await manager?.systemctl('is-enabled', unit)).toBe('enabled')
    await expect.poll(exec).toMatchObject({ code: 0, out: 'here\n' })
  })

  it('restarts after a kill', async () => {
    const before = await pid()
    process.kill(before, 'SIGKILL')
    await expect.poll(pid).not.toBe(before)
    await expect.poll(exec).toMatchObject({ code: 0, out: 'here\n' })
  })

  it('no longer exists after its removal', async () => {
    expect(await runCli(context, ['remote', 'uninstall'])).toMatchObject({ code: 0 })
    expect(await manager?.systemctl('is-active', unit)).toBe('inactive')
    expect(await manager?.systemctl('show', '--property', 'LoadState', '--value', unit)).toBe('not-found')
    expect((await exec()).code).not.toBe(0)
  })
})
