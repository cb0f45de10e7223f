// Guarantees: keys rotate while servers run. Values can be decrypted before, during and after; afterwards nothing uses
// the old key; an interrupted rotation is completed by the next.
import { randomBytes } from 'node:crypto'
import { newId } from '@millrace/contract/ids'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { givenSecret } from '#connections/secrets/testing/given.ts'
import { type OpenPlatform, openPlatform } from '#start/platform.ts'
import { createWorld, type World } from '../../testing/world.ts'
import { keyIdOf } from './envelope.ts'
import { generateMasterKey, keyFilePath, parseMasterKey, readKeyFile, writeKeyFile } from './key-file.ts'
import { platformKeyTeam } from './keyring.ts'
import { sealCheck } from './master-key.ts'
import { resealValues, rotateDataKey, rotateMasterKey } from './rotation.ts'
import { sealBinding } from './sealed-columns.ts'
import * as store from './store.ts'

let world: World
beforeEach(async () => {
  world = await createWorld()
})
afterEach(() => world?.close())

const masterIds = async () =>
  (await world.open.platform.db.selectFrom('data_keys').select('master_key_id').distinct().execute()).map(
    (row) => row.master_key_id,
  )

const fileIds = async () =>
  (await readKeyFile(keyFilePath(world.open.platform.settings.DATA_DIR)))?.map((key) => key.id)

/** Opens the platform as the operator's command does, beside the running server. */
const openBeside = (settings = world.open.platform.settings): Promise<OpenPlatform> => {
  const { log } = world.open.platform
  return openPlatform({ settings, connectionString: world.connectionString, log, print: () => {}, maxConnections: 2 })
}

const rotateBeside = async () => {
  const beside = await openBeside()
  try {
    return await rotateMasterKey(beside)
  } finally {
    await beside.close()
  }
}

/** Two workspaces with their own data keys, besides the platform's. */
const givenTeams = async () => {
  const secret = await givenSecret(world)
  await world.call('stranger', 'POST /secrets', { body: { key: 'THEIRS', value: 'their value' } })
  return secret
}

const reveal = async (key: string) => (await world.call('owner', `GET /secrets/reveal/${key}`)).data?.value

describe('rotating the master key', () => {
  it('re-encrypts every data key, keeps only the new key in the file, and the server continues', async () => {
    const { key, value } = await givenTeams()
    const [before] = await masterIds()
    const { master_key_id, resealed, resumed } = await rotateBeside()
    expect(resumed).toBe(false)
    expect(resealed).toBeGreaterThanOrEqual(2)
    expect(master_key_id).not.toBe(before)
    expect(await masterIds()).toEqual([master_key_id])
    expect(await fileIds()).toEqual([master_key_id])
    expect(await reveal(key)).toBe(value)
    // A workspace without a data key gets one under the new master key, from a server that was not notified.
    expect((await world.call('platform', 'POST /secrets', { body: { key: 'FIRST', value: 'v' } })).status).toBe(200)
    expect(await masterIds()).toEqual([master_key_id])
  })

  it('works twice, and a server started afterwards decrypts everything', async () => {
    const { key, value } = await givenTeams()
    await rotateBeside()
    await rotateBeside()
    const beside = await openBeside()
    const { db, keyring } = beside.platform
    const version = await db
      .selectFrom('secret_versions')
      .innerJoin('secrets', 'secrets.id', 'secret_versions.secret_id')
      .select(['secret_versions.id', 'value_sealed'])
      .where('key', '=', key)
      .executeTakeFirstOrThrow()
    const boundTo = sealBinding('secret_versions', version.id, 'value_sealed')
    expect((await keyring.open(db, version.value_sealed, boundTo)).toString()).toBe(value)
    await beside.close()
  })

  it('a data key that was not cached is decrypted after the rotation', async () => {
    const { key, value } = await givenTeams()
    const beside = await openBeside()
    await rotateBeside()
    const row = await store.findActive(beside.platform.db, world.team.id)
    expect(row).toBeDefined()
    const sealed = await beside.platform.keyring.seal(beside.platform.db, world.team.id, 'late', 'row/1')
    expect(keyIdOf(sealed)).toBe(row?.id)
    await beside.close()
    expect(await reveal(key)).toBe(value)
  })

  it('interrupted after the new key was stored: the next rotation completes with that key', async () => {
    const { key, value } = await givenTeams()
    const path = keyFilePath(world.open.platform.settings.DATA_DIR)
    const pending = generateMasterKey()
    await writeKeyFile(path, [pending, ...((await readKeyFile(path)) ?? [])])
    expect(await reveal(key)).toBe(value)
    expect(await rotateBeside()).toMatchObject({ master_key_id: pending.id, resumed: true })
    expect(await masterIds()).toEqual([pending.id])
    expect(await fileIds()).toEqual([pending.id])
    expect(await reveal(key)).toBe(value)
  })

  it('interrupted between rows: everything can be decrypted and the next rotation completes', async () => {
    const { key, value } = await givenTeams()
    const { db, settings, now } = world.open.platform
    const path = keyFilePath(settings.DATA_DIR)
    const pending = generateMasterKey()
    await writeKeyFile(path, [pending, ...((await readKeyFile(path)) ?? [])])
    await store.updateCheck(db, sealCheck(pending), now().toISOString())
    const beside = await openBeside()
    await beside.platform.keyring.seal(beside.platform.db, `team-${newId()}`, 'new', 'row/1')
    await beside.close()
    expect(await masterIds()).toHaveLength(2)
    expect(await reveal(key)).toBe(value)
    expect(await rotateBeside()).toMatchObject({ master_key_id: pending.id, resumed: true })
    expect(await masterIds()).toEqual([pending.id])
  })

  it('an old server cannot encrypt a new data key with the old master key', async () => {
    await givenTeams()
    const { db, settings, now } = world.open.platform
    const path = keyFilePath(settings.DATA_DIR)
    const pending = generateMasterKey()
    await writeKeyFile(path, [pending, ...((await readKeyFile(path)) ?? [])])
    await store.updateCheck(db, sealCheck(pending), now().toISOString())
    const team = `team-${newId()}`
    await world.open.platform.keyring.seal(db, team, 'value', 'row/1')
    expect((await store.findActive(db, team))?.master_key_id).toBe(pending.id)
  })

  it('one of two concurrent rotations is refused', async () => {
    await givenTeams()
    const results = await Promise.allSettled([rotateBeside(), rotateBeside(), rotateBeside()])
    const refused = results.filter((result) => result.status === 'rejected')
    expect(results.some((result) => result.status === 'fulfilled')).toBe(true)
    for (const result of refused) expect(String(result.reason)).toContain('Another rotation is in progress')
    expect(await masterIds()).toEqual(await fileIds())
  })

  it('an unavailable key stops the rotation and the old key stays', async () => {
    await givenTeams()
    const { db } = world.open.platform
    await db.updateTable('data_keys').set({ master_key_id: 'gone' }).where('team_id', '=', world.team.id).execute()
    const before = await fileIds()
    await expect(rotateBeside()).rejects.toThrow('is not available')
    expect(await fileIds()).toEqual(expect.arrayContaining(before ?? []))
  })
})

describe('rotating a master key from the settings', () => {
  it('the new key is set beside the previous one and the command re-encrypts everything', async () => {
    const [old, next] = [randomBytes(32).toString('base64'), randomBytes(32).toString('base64')]
    const inner = await createWorld({ settings: { MASTER_KEY: old } })
    const swap = (settings: object) =>
      openPlatform({
        settings: { ...inner.open.platform.settings, ...settings },
        connectionString: inner.connectionString,
        log: inner.open.platform.log,
        print: () => {},
        maxConnections: 2,
      })
    try {
      const { key, value } = await givenSecret(inner)
      await expect(rotateMasterKey(inner.open)).rejects.toThrow(/MASTER_KEY_PREVIOUS/)
      const both = await swap({ MASTER_KEY: next, MASTER_KEY_PREVIOUS: old })
      expect(await rotateMasterKey(both)).toMatchObject({ master_key_id: parseMasterKey(next)?.id, resumed: false })
      await both.close()
      // The server with the old settings still has all data keys that it used in its cache.
      expect((await inner.call('owner', `GET /secrets/reveal/${key}`)).data.value).toBe(value)
      await (await swap({ MASTER_KEY: next })).close()
      await expect(swap({ MASTER_KEY: old })).rejects.toThrow('does not match this database')
    } finally {
      await inner.close()
    }
  })
})

const dataKeyIds = async (teamId: string) => {
  const rows = await world.open.platform.db
    .selectFrom('secret_versions')
    .select('value_sealed')
    .where('team_id', '=', teamId)
    .execute()
  return new Set(rows.map((row) => keyIdOf(row.value_sealed)))
}

describe('rotating a data key', () => {
  it('all values of the workspace move to the new key and other workspaces keep theirs', async () => {
    const { key, value } = await givenTeams()
    await world.call('owner', `PUT /secrets/${key}`, { body: { value: 'the second value' } })
    const theirs = await dataKeyIds(world.otherTeam.id)
    const beside = await openBeside()
    const { data_key_id, resealed } = await rotateDataKey(beside, world.team.id)
    await beside.close()
    expect(resealed).toBe(2)
    expect(await dataKeyIds(world.team.id)).toEqual(new Set([data_key_id]))
    expect(await dataKeyIds(world.otherTeam.id)).toEqual(theirs)
    expect(await reveal(key)).toBe('the second value')
    const versions = (await world.call('owner', `GET /secrets/${key}/versions`)).data
    await world.call('owner', `POST /secrets/${key}/restore`, { body: { version_id: versions[1].id } })
    expect(await reveal(key)).toBe(value)
  })

  it('tokens of connections and values of the platform move, too', async () => {
    const { credentialId } = await givenSecret(world, { provider: 'openai' })
    const { db, keyring } = world.open.platform
    const id = credentialId ?? ''
    const boundTo = sealBinding('credentials', id, 'access_token_sealed')
    const sealed = await keyring.seal(db, world.team.id, 'a token', boundTo)
    await db.updateTable('credentials').set({ access_token_sealed: sealed }).where('id', '=', id).execute()
    const { userId } = world.people.owner
    const factor = await keyring.seal(
      db,
      platformKeyTeam,
      'a factor',
      sealBinding('users', userId, 'totp_secret_sealed'),
    )
    await db.updateTable('users').set({ totp_secret_sealed: factor }).where('id', '=', userId).execute()

    const team = await rotateDataKey(world.open, world.team.id)
    const platform = await rotateDataKey(world.open, platformKeyTeam)
    expect(platform.resealed).toBeGreaterThanOrEqual(1)
    const row = await db.selectFrom('credentials').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
    const user = await db.selectFrom('users').selectAll().where('id', '=', userId).executeTakeFirstOrThrow()
    expect(keyIdOf(row.access_token_sealed ?? Buffer.alloc(0))).toBe(team.data_key_id)
    expect(keyIdOf(user.totp_secret_sealed ?? Buffer.alloc(0))).toBe(platform.data_key_id)
    expect((await keyring.open(db, row.access_token_sealed ?? Buffer.alloc(0), boundTo)).toString()).toBe('a token')
  })

  it('idempotent responses and sign-in codes move with the platform’s key', async () => {
    const headers = { 'idempotency-key': 'rotated' }
    const body = { name: 'once' }
    const first = await world.call('owner', 'POST /apikeys', { body, headers })
    await world.call(null, 'POST /auth/magic-link/send', { body: { email: 'new@example.com' } })
    const { data_key_id, resealed } = await rotateDataKey(world.open, platformKeyTeam)
    expect(resealed).toBeGreaterThanOrEqual(2)
    const { db } = world.open.platform
    const answers = await db.selectFrom('idempotency_keys').select('answer_sealed as sealed').execute()
    const links = await db.selectFrom('magic_links').select('code_sealed as sealed').execute()
    expect(links.length).toBeGreaterThanOrEqual(1)
    for (const { sealed } of [...answers, ...links]) expect(sealed && keyIdOf(sealed)).toBe(data_key_id)
    const again = await world.call('owner', 'POST /apikeys', { body, headers })
    expect(again.data.key).toBe(first.data.key)
  })

  it('knows every encrypted column of the database', async () => {
    const { rows } = await sql<{ place: string }>`
      select table_name || '.' || column_name as place from information_schema.columns
      where table_schema = 'public' and column_name like '%\\_sealed' order by place`.execute(world.open.platform.db)
    const known = world.open.platform.sealedColumns.map(({ table, column }) => `${table}.${column}`).sort()
    expect(known).toEqual(rows.map(({ place }) => place))
  })

  it('a value encrypted with the old key by a server that was not notified is re-encrypted later', async () => {
    const { key } = await givenTeams()
    const beside = await openBeside()
    const { keyring, db } = beside.platform
    await keyring.seal(db, world.team.id, 'warm', 'row/1')
    const { data_key_id } = await rotateDataKey(world.open, world.team.id)
    const { id } = await db
      .selectFrom('secret_versions')
      .select('id')
      .where('team_id', '=', world.team.id)
      .executeTakeFirstOrThrow()
    const late = await keyring.seal(db, world.team.id, 'late', sealBinding('secret_versions', id, 'value_sealed'))
    expect(keyIdOf(late)).not.toBe(data_key_id)
    await db.updateTable('secret_versions').set({ value_sealed: late }).where('id', '=', id).execute()
    await beside.close()
    expect(await reveal(key)).toBe('late')
    expect(await resealValues(world.open.platform, world.team.id)).toBe(1)
    expect(await dataKeyIds(world.team.id)).toEqual(new Set([data_key_id]))
    expect(await reveal(key)).toBe('late')
  })

  it('a value written during re-encryption is not overwritten', async () => {
    const secrets = await Promise.all(Array.from({ length: 20 }, () => givenSecret(world)))
    const rotation = rotateDataKey(world.open, world.team.id)
    const writes = secrets.map(({ key }) =>
      world.call('owner', `PUT /secrets/${key}`, { body: { value: `new value of ${key}` } }),
    )
    await Promise.all([rotation, ...writes])
    for (const { key } of secrets) expect(await reveal(key)).toBe(`new value of ${key}`)
    await resealValues(world.open.platform, world.team.id)
    expect((await dataKeyIds(world.team.id)).size).toBe(1)
  })
})
