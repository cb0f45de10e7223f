// Guarantees: a workspace name in a path cannot be mistaken for a route, and generated names follow the rule.
import { describe, expect, it, test } from 'vitest'
import { generateUsername, isSlug, normaliseUsername, usernameProblem } from './usernames.ts'

describe('usernameProblem', () => {
  test.each(['acme', 'a', '42', 'acme-labs-2', 'a'.repeat(64)])('%s may be chosen', (name) =>
    expect(usernameProblem(name)).toBeNull(),
  )
  test.each(['', '-a', 'a-', 'a--b', 'Acme', 'a_b', 'a.b', 'a/b', 'ä', 'a b', 'a\n', 'a'.repeat(65)])(
    '%j has no form',
    (name) => expect(usernameProblem(name)).toBe('invalid'),
  )
  const routes = `agent-runs agents apikeys apps artifacts audit-log auth auth-providers auth-schemes billing chats
    credentials dev device engines entitlements errors events execs files flow-runs flowruns flows harnesses instances interrupts
    invites knowledge mcp-servers mcps me oauth organizations plans projects remotes run scopes search secrets session
    sessions skills sockets store suggest tasks teams tools transactions trigger-fires trigger-sources triggers usage
    vaults ws`.split(/\s+/)
  test.each(routes)('%s is a route', (word) => expect(usernameProblem(word)).toBe('reserved'))
  test.each(['list', 'resolve', 'available', 'reveal', 'featured', 'check-username'])(
    '%s follows a collection',
    (word) => expect(usernameProblem(word)).toBe('reserved'),
  )
  it('keeps the platform workspace for the platform', () => expect(usernameProblem('millrace')).toBe('reserved'))
})

describe('normaliseUsername', () => {
  test.each([
    ['  Acme Labs!! ', 'acme-labs'],
    ['Café Zoë', 'cafe-zoe'],
    ['__a__b__', 'a-b'],
    ['already-good', 'already-good'],
    ['日本', ''],
    [`-${'a'.repeat(80)}`, 'a'.repeat(64)],
    [`${'a'.repeat(63)}-b`, 'a'.repeat(63)],
  ])('%j becomes %j', (text, name) => expect(normaliseUsername(text)).toBe(name))
})

describe('generateUsername', () => {
  it('makes slugs that are free to choose', () => {
    for (let made = 0; made < 1_000; made++) {
      const name = generateUsername()
      expect(isSlug(name)).toBe(true)
      expect(usernameProblem(name)).toBeNull()
    }
  })
  it('uses the randomness it is given', () => {
    expect(generateUsername(() => 0)).toBe('amber-alder-0000')
    expect(generateUsername((limit) => limit - 1)).toBe('wide-willow-9999')
  })
})
