// Guarantees: each version of the published client runs apps, follows them, uploads files, and talks to agents against
// an unchanged server. `npm test` uses the installed version, `npm run prove -- clients --size large` all versions of the
// package registry, and CLIENTS_DIR a folder of unpacked packages.
import { execFile } from 'node:child_process'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { deploy } from './deploy.ts'
import { type Guest, startGuest } from './guest.ts'
import { modelApp } from './model-app.ts'

const execute = promisify(execFile)
const name = '@inferencesh/sdk'
const program = fileURLToPath(new URL('generation.ts', import.meta.url))
const work = await mkdtemp(join(tmpdir(), 'millrace-clients-'))

/** Installs the versions side by side in a folder of their own. */
const installAll = async (): Promise<string> => {
  const { stdout } = await execute('npm', ['view', name, 'versions', '--json'], { cwd: work })
  const versions = [JSON.parse(stdout)].flat() as string[]
  const dependencies = Object.fromEntries(versions.map((version) => [version, `npm:${name}@${version}`]))
  await writeFile(join(work, 'package.json'), JSON.stringify({ private: true, dependencies }))
  await execute('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--legacy-peer-deps'], { cwd: work })
  return join(work, 'node_modules')
}

/** Folders of packages, by version. */
const findClients = async (): Promise<[string, string][]> => {
  const given = process.env.CLIENTS_DIR
  if (given === undefined && process.env.CLIENT_VERSIONS !== 'all')
    return [['installed', fileURLToPath(new URL(`../../node_modules/${name}`, import.meta.url))]]
  const folder = given === undefined ? await installAll() : resolve(process.env.INIT_CWD ?? '.', given)
  const names = (await readdir(folder)).filter((entry) => /^\d/.test(entry))
  const inOrder = names.sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))
  return inOrder.map((entry) => [entry, join(folder, entry)])
}

const clients = await findClients()

let guest: Guest
let agent: string
beforeAll(async () => {
  guest = await startGuest()
  const { ref } = await deploy(guest.client, modelApp)
  const { data } = await guest.client.agents.createAgent({ name: 'helper', version: { core_app: { ref } } } as never)
  agent = `${data.namespace}/${data.name}`
})
afterAll(async () => {
  await guest?.remove()
  await rm(work, { recursive: true, force: true })
})

it.for(clients)('version %s', async ([, folder], { skip }) => {
  const parts = [program, folder, guest.server.url, guest.apiKey, agent]
  const { stdout } = await execute(process.execPath, parts, { timeout: 60_000 })
  const read = JSON.parse(stdout)
  if (read === null) return skip('this version has other numbers for task statuses')
  const { answered, ...results } = read
  expect(results).toEqual({
    run: { a: 1 },
    counted: { count: 3 },
    updated: true,
    failed: expect.stringContaining('as requested'),
    missing: expect.stringMatching(/\w/),
    uploaded: 'one two',
  })
  // The first versions have no agents.
  expect([null, 'You said: sleep 1000']).toContain(answered)
})
