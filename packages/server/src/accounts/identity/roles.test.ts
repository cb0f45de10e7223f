// Guarantees: no one is offered or allowed an action that their role in this kind of workspace does not permit.
import { describe, expect, it, test } from 'vitest'
import {
  assignableRoles,
  can,
  capabilities,
  capabilitiesOf,
  type Position,
  refuseRemoval,
  teamKind,
  wouldLeaveNoOwner,
} from './roles.ts'

const base: Position = {
  role: 'member',
  kind: 'team',
  isPerson: true,
  orgAdmin: false,
  platformAdmin: false,
  inPlatformTeam: false,
}

describe('capabilitiesOf', () => {
  const everyone = 'view_members view_billing view_policy'
  const member = `${everyone} create_keys create_team`
  const settings = 'edit_profile manage_members manage_keys manage_vault'
  const money = 'manage_billing manage_policy'
  const cases: [claim: string, position: Partial<Position>, can: string][] = [
    ['a member', {}, member],
    ['an admin', { role: 'admin' }, `${member} ${settings} ${money}`],
    ['an owner', { role: 'owner' }, `${member} ${settings} ${money} archive`],
    [
      'the owner of a personal workspace',
      { role: 'owner', kind: 'personal' },
      `view_billing view_policy create_keys create_team edit_profile manage_vault ${money}`,
    ],
    ['a service account', { isPerson: false }, everyone],
    [
      'a service account with any role',
      { isPerson: false, role: 'owner', orgAdmin: true, platformAdmin: true, inPlatformTeam: true },
      everyone,
    ],
    ['a member of an attached team', { kind: 'org_member' }, member],
    ['an owner of an attached team', { kind: 'org_member', role: 'owner' }, `${member} ${settings} archive`],
    ['an org admin who is a member', { kind: 'org_member', orgAdmin: true }, `${member} ${money}`],
    [
      'an org admin from outside',
      { kind: 'org_member', orgAdmin: true, role: null },
      `${everyone} create_team ${money}`,
    ],
    [
      'an org admin in the org workspace',
      { kind: 'org', role: 'admin', orgAdmin: true },
      `${member} ${settings} ${money} manage_org connect_org_credential`,
    ],
    [
      'an admin of the org workspace who is no org admin',
      { kind: 'org', role: 'admin' },
      `${member} ${settings} ${money}`,
    ],
    ['platform power elsewhere', { platformAdmin: true }, `${member} create_org`],
    [
      'platform power at home',
      { platformAdmin: true, inPlatformTeam: true, role: 'owner' },
      `${member} ${settings} ${money} create_org connect_platform_credential`,
    ],
    ['a stranger', { role: null }, ''],
    ['an org admin in a team of no org', { role: null, orgAdmin: true }, ''],
  ]
  test.each(cases)('%s', (_claim, position, expected) => {
    const at = { ...base, ...position }
    const granted = expected.split(' ').filter(Boolean)
    expect(capabilitiesOf(at).toSorted()).toEqual(granted.toSorted())
    for (const capability of capabilities) expect(can(at, capability)).toBe(granted.includes(capability))
  })
})

test.each([
  ['personal', null, 'personal'],
  ['personal', 'org', 'personal'],
  ['team', null, 'team'],
  ['team', 'org', 'org_member'],
  ['system', null, 'team'],
  ['org', 'org', 'org'],
] as const)('a %s workspace with organisation %s is of kind %s', (type, orgId, kind) => {
  expect(teamKind({ type, orgId })).toBe(kind)
})

test.each([
  ['owner', 'owner', 'team', 'owner admin member'],
  ['owner', 'member', 'team', 'owner admin member'],
  ['admin', 'member', 'team', 'admin member'],
  ['admin', 'admin', 'team', 'admin member'],
  ['admin', 'owner', 'team', ''],
  ['member', 'member', 'team', ''],
  ['owner', 'owner', 'personal', ''],
] as const)('%s gives %s of a %s workspace: %s', (actor, target, kind, roles) => {
  expect(assignableRoles(actor, target, kind)).toEqual(roles.split(' ').filter(Boolean))
})

describe('refuseRemoval', () => {
  const leave = { self: true, ownerCount: 2, kind: 'team' } as const
  const remove = { self: false, ownerCount: 2, kind: 'team' } as const
  test.each([
    ['a member leaves', { ...leave, actor: 'member', target: 'member' }, null],
    ['one of two owners leaves', { ...leave, actor: 'owner', target: 'owner' }, null],
    ['the last owner stays', { ...leave, actor: 'owner', target: 'owner', ownerCount: 1 }, 'last_owner'],
    ['an admin removes a member', { ...remove, actor: 'admin', target: 'member' }, null],
    ['an admin removes no owner', { ...remove, actor: 'admin', target: 'owner' }, 'role'],
    ['an owner removes an owner', { ...remove, actor: 'owner', target: 'owner' }, null],
    ['a member removes nobody', { ...remove, actor: 'member', target: 'member' }, 'role'],
    [
      'a personal workspace keeps its person',
      { ...leave, actor: 'owner', target: 'owner', kind: 'personal' },
      'personal_team',
    ],
  ] as const)('%s', (_claim, removal, refusal) => expect(refuseRemoval(removal)).toBe(refusal))
  it('the last owner keeps the role', () => {
    expect(wouldLeaveNoOwner('owner', 'admin', 1)).toBe(true)
    expect(wouldLeaveNoOwner('owner', 'admin', 2)).toBe(false)
    expect(wouldLeaveNoOwner('owner', 'owner', 1)).toBe(false)
    expect(wouldLeaveNoOwner('admin', 'member', 1)).toBe(false)
  })
})
