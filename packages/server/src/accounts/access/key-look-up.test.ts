// Guarantees: a lookup of a key reads one row, however many keys exist, and a repeated wrong key causes no query.
import { newId } from '@millrace/contract/ids'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { hashToken, newKeyText, newSessionToken } from '#platform/core/tokens.ts'
import { currentWork } from '#platform/fairness/work.ts'
import { createWorld, type World } from '../../testing/world.ts'
import { createAuthenticate } from './authenticate.ts'
import { createCredentialCache } from './credential-cache.ts'
import { selectKey } from './credential-store.ts'
import { createRecentSet } from './recent-set.ts'

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world?.close())

describe('looking up a key', () => {
  it('reads no table of keys from end to end', async () => {
    const { db } = world.open.platform
    await sql`insert into api_keys (id, team_id, user_id, created_by, name, scope, token_hash, last_four)
      select ${newId()}::text || n, ${world.team.id}, ${world.people.owner.userId}, ${world.people.owner.userId}, 'k', 'user',
        sha256(n::text::bytea), 'abcd' from generate_series(1, 3000) n`.execute(db)
    await sql`analyze api_keys`.execute(db)
    const plan = JSON.stringify(
      await selectKey(db, hashToken(newKeyText()), world.clock.now().toISOString()).explain('json'),
    )
    expect(plan).toContain('api_keys_token_hash_key')
    expect(plan).not.toMatch(/"Seq Scan"[^}]*"api_keys"/)
  })

  it('a wrong key is refused each time, and one that is made meanwhile works', async () => {
    const wrong = { token: newKeyText() }
    for (let tries = 0; tries < 3; tries += 1) expect((await world.call(wrong, 'GET /me')).status).toBe(401)
    expect((await world.call('key:', 'GET /me')).status).toBe(200)
  })
})

describe('a credential that is not cached', () => {
  it.each([
    ['key', newKeyText],
    ['session token', newSessionToken],
  ])(
    'a %s is looked up in a turn of the address, and not again while it is known to be wrong',
    async (_kind, newText) => {
      let turns = 0
      const { db, now, log } = world.open.platform
      const authenticate = createAuthenticate({
        db,
        now,
        log,
        cache: createCredentialCache(now),
        ownOrigins: new Set(),
        turn: (work) => {
          turns += 1
          return work()
        },
      })
      const refused = async (text: string): Promise<void> => {
        const head = { method: 'GET', headers: { authorization: `Bearer ${text}` } }
        await expect(authenticate(head)).rejects.toMatchObject({ code: 'unauthorized' })
      }
      const first = newText()
      for (let tries = 0; tries < 3; tries += 1) await refused(first)
      expect(turns).toBe(1)
      await refused(newText())
      expect(turns).toBe(2)
    },
  )

  it('is looked up in a turn of the caller’s network', async () => {
    const { gate } = world.open.platform
    const turn = vi.spyOn(gate, 'turn')
    const networks: (string | null)[] = []
    turn.mockImplementation((_actor, work) => {
      networks.push(currentWork().tenant)
      return work()
    })
    try {
      expect((await world.call({ token: newKeyText() }, 'GET /me')).status).toBe(401)
    } finally {
      turn.mockRestore()
    }
    expect(networks).toEqual(['ip:127.0.0.1'])
  })
})

describe('what was seen a moment ago', () => {
  const setAt = (times: number[]) => createRecentSet(() => times.shift() ?? 0, { ageMs: 10, most: 2 })
  it('is forgotten in time', () => {
    const set = setAt([0, 9, 10])
    set.add('a')
    expect([set.has('a'), set.has('a')]).toEqual([true, false])
  })
  it('makes room for what is newer', () => {
    const set = setAt([])
    for (const key of ['a', 'b', 'c']) set.add(key)
    expect(['a', 'b', 'c'].map((key) => set.has(key))).toEqual([false, true, true])
  })
  it('is not kept for longer by a clock that was put back', () => {
    const set = setAt([1_000, 0])
    set.add('a')
    expect(set.has('a')).toBe(false)
  })
})
