// Guarantees: on a server that runs as root, the local engine runs as another user that can read only its own folder in
// the data folder; strangers can never run apps without a sandbox.
import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readSettings } from '#platform/settings/settings.ts'
import {
  engineEnvironment,
  pickEngineUser,
  prepareEngineSetup,
  queryRuntime,
  refuseOpenSignUpWithoutSandbox,
} from './engine-user.ts'

const program = createRequire(import.meta.url).resolve('@millrace/engine/main')

describe('the user', () => {
  const passwd = 'root:x:0:0::/root:/bin/sh\nnobody:x:65534:65534::/:/bin/false\nsomeone:x:61700:61700::/:/bin/sh\n'
  it('picks an unused user id and keeps it', () => {
    expect(pickEngineUser(passwd, null)).toEqual({ uid: 61_701, gid: 61_701 })
    expect(pickEngineUser(passwd, 61_750)).toEqual({ uid: 61_750, gid: 61_750 })
    for (const owner of [0, 65_534, 61_700]) expect(pickEngineUser(passwd, owner)?.uid).toBe(61_701)
  })

  it('passes only the environment variables that installers need', () => {
    const env = { PATH: '/bin', MASTER_KEY: 'm', DATABASE_URL: 'postgres://u:p@h/d', SMTP_URL: 's', PIP_INDEX_URL: 'i' }
    expect(Object.keys(engineEnvironment(env, '/h')).sort()).toEqual(['HOME', 'PATH', 'PIP_INDEX_URL'])
  })
})

describe.runIf(process.geteuid?.() === 0)('as root', () => {
  let root: string
  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), 'millrace-place-'))
  })
  afterAll(() => rmSync(root, { recursive: true, force: true }))

  const dataFolder = (name: string): string => {
    const dataDir = join(root, name, 'data')
    mkdirSync(join(dataDir, 'engine', 'bundles'), { recursive: true })
    mkdirSync(join(dataDir, 'blobs'), { mode: 0o755 })
    writeFileSync(join(dataDir, 'master.key'), 'the master key', { mode: 0o644 })
    writeFileSync(join(dataDir, 'engine', 'engine.json'), '{}', { mode: 0o600 })
    return dataDir
  }
  const prepare = (dataDir: string) =>
    prepareEngineSetup(dataDir, join(dataDir, 'engine'), { program, settings: readSettings({ DATA_DIR: dataDir }) })

  it('gives the engine one folder and no access to the others', async () => {
    chmodSync(root, 0o755)
    const dataDir = dataFolder('open')
    const place = await prepare(dataDir)
    if (place.kind !== 'ready' || place.user === null) throw new Error(`no user: ${JSON.stringify(place)}`)
    expect(place.workFolder).toBe(join(dataDir, 'engine', 'work'))
    expect(statSync(join(place.workFolder, 'engine.json')).uid).toBe(place.user.uid)
    expect(existsSync(join(dataDir, 'engine', 'bundles'))).toBe(false)
    const may = (command: string) => {
      try {
        execFileSync('sh', ['-c', command], { ...place.user, stdio: 'ignore', cwd: '/' })
        return true
      } catch {
        return false
      }
    }
    expect(may(`touch ${place.workFolder}/x`)).toBe(true)
    for (const command of [
      `cat ${dataDir}/master.key`,
      `ls ${dataDir}`,
      `ls ${dataDir}/blobs`,
      `touch ${dataDir}/engine/x`,
    ])
      expect(may(command), command).toBe(false)
    expect(await prepare(dataDir)).toEqual(place)
  })

  it('uses another folder if the engine cannot reach the data folder', async () => {
    const dataDir = dataFolder('barred')
    chmodSync(join(root, 'barred'), 0o700)
    const place = await prepare(dataDir)
    if (place.kind !== 'ready') throw new Error('refused')
    expect(place.workFolder).toMatch(/^\/var\/tmp\/millrace-engine-/)
    expect(statSync(place.workFolder)).toMatchObject({ uid: place.user?.uid })
    expect(statSync(place.workFolder).mode & 0o777).toBe(0o700)
    rmSync(place.workFolder, { recursive: true })
  })
})

it('the engine program answers which runtime it would use, or nothing', async () => {
  expect(await queryRuntime(program, 'process', null)).toBe('process')
  expect(['process', 'bubblewrap']).toContain(await queryRuntime(program, 'auto', null))
  expect(await queryRuntime('/nonexistent/main.mjs', 'auto', null)).toBeNull()
})

describe('open sign-up on a public address', () => {
  const publicly = { HOST: '0.0.0.0', SIGN_UP: 'open' }
  const start = (env: Record<string, string>, found: string) =>
    refuseOpenSignUpWithoutSandbox(readSettings(env), async () => found)
  it.each([
    ['plain processes', { ...publicly, ENGINE_RUNTIME: 'process' }, 'bubblewrap'],
    ['auto without bubblewrap', publicly, 'process'],
    ['a public BASE_URL', { BASE_URL: 'https://a.example', SIGN_UP: 'open' }, 'process'],
  ])('%s is refused with a hint at the settings', async (_name, env, found) => {
    await expect(start(env, found)).rejects.toThrow(/SIGN_UP=invited.*ENGINE_RUNTIME=bubblewrap.*ENGINE=false/s)
  })
  it.each([
    ['a sandbox', publicly, 'bubblewrap'],
    ['invited people', { HOST: '0.0.0.0' }, 'process'],
    ['a local address only', { SIGN_UP: 'open' }, 'process'],
    ['no engine', { ...publicly, ENGINE: 'false' }, 'process'],
  ])('%s is fine', async (_name, env, found) => {
    await expect(start(env, found)).resolves.toBeUndefined()
  })
})
