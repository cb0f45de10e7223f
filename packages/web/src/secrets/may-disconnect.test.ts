// Guarantees: the console offers to disconnect exactly the connections that the server lets this person disconnect.
import { expect, it } from 'vitest'
import type { Capability } from '../shell/session.tsx'
import { mayDisconnect } from './may-disconnect.ts'

const own = { scope: 'user', team_id: 'mill', user_id: 'ada' } as const

const as = (...capabilities: Capability[]) => ({
  me: { user: { id: 'ada' } },
  team: { id: 'mill' },
  can: (capability: Capability) => capabilities.includes(capability),
})

it.each([
  ['a member: their own', own, as(), true],
  ['a member: a shared one', { ...own, scope: 'team' }, as(), false],
  ['a member: a connection of a colleague', { ...own, user_id: 'bob' }, as(), false],
  ['an admin: a shared one', { ...own, scope: 'team' }, as('manage_vault'), true],
  ['an admin: one shared by another workspace', { ...own, team_id: 'other' }, as('manage_vault'), false],
  ['an admin: one of the organization', { ...own, scope: 'org' }, as('manage_vault'), false],
  [
    'an admin of the organization: one of the organization',
    { ...own, scope: 'org' },
    as('connect_org_credential'),
    true,
  ],
  ['an admin: one of the platform', { ...own, scope: 'platform' }, as('manage_vault'), false],
  ['staff: one of the platform', { ...own, scope: 'platform' }, as('connect_platform_credential'), true],
] as const)('may disconnect %s', (_claim, credential, person, expected) => {
  expect(mayDisconnect(credential, person)).toBe(expected)
})
