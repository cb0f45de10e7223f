// Guarantees: the master key is generated once, readable only by its owner, and never replaced or ignored: a wrong,
// missing or damaged key is an error that says what to do and changes nothing.
import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createWorld, type World } from '../../testing/world.ts'
import { generateMasterKey, keyFilePath, readKeyFile, writeKeyFile } from './key-file.ts'
import { type KeySource, openMasterKeys } from './master-key.ts'

const freshText = () => randomBytes(32).toString('base64')

describe('master key', () => {
  let world: World
  let folder: string
  const source = (settings: Partial<KeySource> = {}): KeySource => ({
    DATA_DIR: folder,
    MASTER_KEY: undefined,
    MASTER_KEY_PREVIOUS: undefined,
    ...settings,
  })
  const open = (settings?: Partial<KeySource>) => openMasterKeys(world.open.platform.db, source(settings))
  const checkRow = () =>
    world.open.platform.db.selectFrom('server_state').selectAll().where('name', '=', 'master_key_check').execute()

  beforeAll(async () => {
    world = await createWorld()
  })
  afterAll(() => world?.close())
  beforeEach(async () => {
    folder = await mkdtemp(`${tmpdir()}/millrace-keys-`)
    await world.open.platform.db.deleteFrom('server_state').where('name', '=', 'master_key_check').execute()
    return () => rm(folder, { recursive: true, force: true })
  })

  it('is generated at the first start, readable only by its owner, and reused', async () => {
    const first = await open()
    const { mode, size } = await stat(keyFilePath(folder))
    expect(mode & 0o777).toBe(0o600)
    expect(size).toBe(45)
    expect((await open()).current().master.id).toBe(first.current().master.id)
  })

  it('a given key is used and not stored', async () => {
    const MASTER_KEY = freshText()
    await open({ MASTER_KEY })
    expect(await readKeyFile(keyFilePath(folder))).toBeNull()
    expect((await open({ MASTER_KEY })).known()).toHaveLength(1)
  })

  it('concurrent first starts use one key', async () => {
    const opened = await Promise.all(Array.from({ length: 6 }, () => open()))
    expect(new Set(opened.map((keys) => keys.current().master.id)).size).toBe(1)
  })

  it.each([
    [
      'missing',
      () => rm(keyFilePath(folder)),
      {},
      /master key is missing.*Restore it as .*master\.key or set MASTER_KEY.*Nothing was changed/,
    ],
    [
      'another key in the file',
      () => writeKeyFile(keyFilePath(folder), [generateMasterKey()]),
      {},
      /does not match this database.*Restore .*master\.key.*Nothing was changed/,
    ],
    ['another key in the settings', async () => {}, { MASTER_KEY: freshText() }, /Set MASTER_KEY to the key/],
    ['damaged', () => writeFile(keyFilePath(folder), 'c2hvcnQ=\n'), {}, /is damaged.*Restore it.*Nothing was changed/],
    ['empty', () => writeFile(keyFilePath(folder), ''), {}, /is damaged/],
  ])('%s: refused, and nothing is written', async (_what, spoil, settings, message) => {
    await open()
    const before = await checkRow()
    await spoil()
    const fileBefore = await readFile(keyFilePath(folder)).catch(() => null)
    await expect(open(settings)).rejects.toThrow(message)
    expect(await checkRow()).toEqual(before)
    expect(await readFile(keyFilePath(folder)).catch(() => null)).toEqual(fileBefore)
  })

  it('an unreadable file is an error and no new key is generated', async () => {
    await open()
    await rm(keyFilePath(folder))
    const { mkdir } = await import('node:fs/promises')
    await mkdir(keyFilePath(folder))
    await expect(open()).rejects.toThrow('EISDIR')
  })

  it('the previous key opens the database, and the database shows which key is current', async () => {
    const [old, next] = [freshText(), freshText()]
    const before = await open({ MASTER_KEY: old })
    const both = await open({ MASTER_KEY: next, MASTER_KEY_PREVIOUS: old })
    expect(both.current().master.id).toBe(before.current().master.id)
    expect(both.known()).toHaveLength(2)
  })

  it('a key file is replaced atomically', async () => {
    const keys = [generateMasterKey(), generateMasterKey()]
    await writeKeyFile(keyFilePath(folder), keys)
    await writeKeyFile(keyFilePath(folder), keys.slice(0, 1))
    expect((await readKeyFile(keyFilePath(folder)))?.map((key) => key.id)).toEqual([keys[0]?.id])
    expect((await stat(keyFilePath(folder))).mode & 0o777).toBe(0o600)
  })
})
