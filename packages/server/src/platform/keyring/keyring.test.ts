// Guarantees: encrypted values can be decrypted later by a restarted server, and only in their place.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createWorld, type World } from '../../testing/world.ts'
import { createKeyring } from './keyring.ts'
import { openMasterKeys } from './master-key.ts'

describe('keyring', () => {
  let world: World
  beforeAll(async () => {
    world = await createWorld()
  })
  afterAll(() => world?.close())

  /** A keyring as after a restart. */
  const freshKeyring = async () => {
    const { settings, db } = world.open.platform
    return createKeyring(await openMasterKeys(db, settings), db)
  }

  it('the data key survives the rollback of the transaction that created it', async () => {
    const { keyring, db } = world.open.platform
    const failed = world.ctx().tx(async (ctx) => {
      await keyring.seal(ctx.db, 'team-one', 'lost', 'row/1')
      throw new Error('undone')
    })
    await expect(failed).rejects.toThrow('undone')
    const sealed = await keyring.seal(db, 'team-one', 'kept', 'row/2')
    const opened = await (await freshKeyring()).open(db, sealed, 'row/2')
    expect(opened.toString()).toBe('kept')
  })

  it('concurrent first encryptions in transactions use one data key', async () => {
    const { keyring, db } = world.open.platform
    await Promise.all(
      Array.from({ length: 24 }, (_, index) =>
        world.ctx().tx((ctx) => keyring.seal(ctx.db, 'team-two', `value ${index}`, `row/${index}`)),
      ),
    )
    const keys = await db.selectFrom('data_keys').select('id').where('team_id', '=', 'team-two').execute()
    expect(keys).toHaveLength(1)
  })

  it('a value moved to another row cannot be decrypted', async () => {
    const { keyring, db } = world.open.platform
    const sealed = await keyring.seal(db, 'team-one', 'value', 'row/3')
    await expect(keyring.open(db, sealed, 'row/4')).rejects.toThrow('Could not decrypt')
  })
})
