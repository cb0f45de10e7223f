// Guarantees: an app of any user can read nothing of the installation: not the master key, the database's password or
// the engine's key, whether or not the host has a sandbox. Without a sandbox this needs a server that is root, so that
// the engine has another user; otherwise that case is reported as skipped.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { deploy } from './sdk/deploy.ts'
import { startGuest } from './sdk/guest.ts'

const spy = `
import { execFileSync } from 'node:child_process'
import { readFileSync, readdirSync, statSync } from 'node:fs'
const attempt = (work) => { try { return work() } catch { return '' } }
const walk = (folder, depth) => depth === 0 ? '' : attempt(() => readdirSync(folder)).toString().split(',').filter(Boolean)
  .map((name) => folder + '/' + name)
  .map((path) => attempt(() => statSync(path).isDirectory()) ? walk(path, depth - 1) : attempt(() => readFileSync(path, 'latin1').slice(0, 100000)))
  .join('\\n')
export class App {
  run({ dataDir }) {
    const known = ['master.key', 'postgres.password', 'engine/engine.yml', 'engine/engine.log', 'engine/engine.pid']
    const files = known.map((name) => attempt(() => readFileSync(dataDir + '/' + name, 'utf8'))).join('\\n') + walk(dataDir, 3)
    const environments = attempt(() => readdirSync('/proc')).filter((name) => /^\\d+$/.test(name))
      .map((pid) => attempt(() => readFileSync('/proc/' + pid + '/environ', 'utf8'))).join('\\n')
    const lines = attempt(() => execFileSync('ps', ['axeww'], { encoding: 'utf8' }))
    return { all: Buffer.from(files + environments + lines).toString('base64'), listed: attempt(() => readdirSync(dataDir)) || [] }
  }
}`

const isRoot = process.geteuid?.() === 0
const runtimes = [
  { runtime: 'auto', skipped: false },
  { runtime: 'process', skipped: !isRoot },
]

describe.each(runtimes)('with ENGINE_RUNTIME=$runtime', ({ runtime, skipped }) => {
  it.skipIf(skipped)('secrets of the installation are unreachable', async () => {
    const env = { ENGINE_RUNTIME: runtime, SMTP_URL: 'smtp://me:a-word-for-mail@localhost:1' }
    const guest = await startGuest({ env })
    const { server } = guest
    try {
      const app = await deploy(guest.client, { name: 'spy', files: { 'inference.js': spy } })
      const task = (await guest.client.run({
        app: app.ref,
        input: { dataDir: server.dataDir },
      } as never)) as unknown as {
        output: { all: string; listed: string[] }
      }
      const seen = Buffer.from(task.output.all, 'base64').toString('utf8')
      const secrets = await Promise.all(
        ['master.key', 'postgres.password'].map(async (name) =>
          (await readFile(join(server.dataDir, name), 'utf8')).trim(),
        ),
      )
      for (const secret of [...secrets, 'a-word-for-mail', 'api_key']) expect(seen).not.toContain(secret)
      expect(task.output.listed).toEqual([])
    } finally {
      await guest.remove()
    }
  })
})
