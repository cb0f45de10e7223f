// Guards: whatever was sealed can be opened later, by a server that remembers nothing; and a sealed value opens only
// where it belongs.
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

  /** A keyring as the next start of the server builds it. */
  const freshKeyring = async () => {
    const { settings, db } = world.open.platform
    return createKeyring(await openMasterKeys(db, settings), db)
  }

  it('a failed transaction that sealed first does not take the data key with it', async () => {
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

  it('many first seals at once, each inside a transaction, agree on one data key', async () => {
    const { keyring, db } = world.open.platform
    await Promise.all(
      Array.from({ length: 24 }, (_, index) =>
        world.ctx().tx((ctx) => keyring.seal(ctx.db, 'team-two', `value ${index}`, `row/${index}`)),
      ),
    )
    const keys = await db.selectFrom('data_keys').select('id').where('team_id', '=', 'team-two').execute()
    expect(keys).toHaveLength(1)
  })

  it('a value moved to another row does not open', async () => {
    const { keyring, db } = world.open.platform
    const sealed = await keyring.seal(db, 'team-one', 'value', 'row/3')
    await expect(keyring.open(db, sealed, 'row/4')).rejects.toThrow('does not open')
  })
})
