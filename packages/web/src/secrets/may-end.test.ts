// Guards: nobody is offered to end a connection that the server would not let them end, and everybody their own.
import { expect, it } from 'vitest'
import type { Capability } from '../shell/session.tsx'
import { mayEnd } from './may-end.ts'

const own = { scope: 'user', team_id: 'mill', user_id: 'ada' } as const

const as = (...held: Capability[]) => ({
  me: { user: { id: 'ada' } },
  team: { id: 'mill' },
  can: (capability: Capability) => held.includes(capability),
})

it.each([
  ['a member their own', own, as(), true],
  ['a member a shared one', { ...own, scope: 'team' }, as(), false],
  ['a member a colleague’s', { ...own, user_id: 'bob' }, as(), false],
  ['an admin a shared one', { ...own, scope: 'team' }, as('manage_vault'), true],
  ['an admin one that another workspace shares', { ...own, team_id: 'other' }, as('manage_vault'), false],
  ['an admin the organisation’s', { ...own, scope: 'org' }, as('manage_vault'), false],
  ['an admin of the organisation its own', { ...own, scope: 'org' }, as('connect_org_credential'), true],
  ['an admin the platform’s', { ...own, scope: 'platform' }, as('manage_vault'), false],
  ['staff the platform’s', { ...own, scope: 'platform' }, as('connect_platform_credential'), true],
] as const)('%s: whether it may be ended', (_who, credential, person, expected) => {
  expect(mayEnd(credential, person)).toBe(expected)
})
