// Guarantees: which names and values a secret may have, what its mask shows, and who may connect for whom. Pure tables.
import { secretValueMaxBytes } from '@millrace/contract/secrets'
import { describe, expect, it } from 'vitest'
import { settingTable } from '#platform/settings/settings.ts'
import {
  hintOf,
  isReservedName,
  maskedValue,
  normaliseWebsite,
  refuseConnectionScope,
  refuseKey,
  refuseValue,
  type SecretOwner,
} from './rules.ts'

describe('names', () => {
  it.each([
    ['API_KEY', undefined],
    ['_x1', undefined],
    ['lower_case', undefined],
    ['', 'invalid_request'],
    ['1KEY', 'validation_error'],
    ['MY-KEY', 'validation_error'],
    ['MY KEY', 'validation_error'],
    ['KEY\n', 'validation_error'],
    ['list', 'validation_error'],
    ['reveal', 'validation_error'],
    ['provider', 'validation_error'],
    ['STRIPE_API_KEY', 'validation_error'],
    ['master_key', 'validation_error'],
  ])('%j → %s', (key, code) => {
    expect(refuseKey(key)?.code).toBe(code)
  })

  it.each(Object.keys(settingTable))('the setting %s is reserved', (name) => {
    expect(isReservedName(name)).toBe(true)
    expect(isReservedName(name.toLowerCase())).toBe(true)
  })

  it.each(['SMTP_X', 'S3_X', 'SSO_X', 'SAML_X', 'OIDC_X', 'STRIPE_X', 'BILLING_X', 'MILLRACE_X'])(
    '%s is reserved by its prefix',
    (name) => expect(isReservedName(name)).toBe(true),
  )

  it.each(['SMTPX', 'MY_S3_KEY', 'PORTAL'])('%s is free', (name) => expect(isReservedName(name)).toBe(false))
})

describe('values', () => {
  it.each([
    ['', 'invalid_request'],
    ['x', undefined],
    ['x'.repeat(secretValueMaxBytes), undefined],
    ['x'.repeat(secretValueMaxBytes + 1), 'validation_error'],
    ['ü'.repeat(secretValueMaxBytes / 2 + 1), 'validation_error'],
  ])('%.20j → %s', (value, code) => {
    expect(refuseValue(value)?.code).toBe(code)
  })

  it.each([
    ['short', ''],
    ['fifteen-chars-1', ''],
    ['sixteen-chars-12', 's-12'],
    ['-----BEGIN KEY-----\nabc\n-----END KEY-----\n', ''],
    ['a long value that ends so', ''],
  ])('the hint of %j is %j', (value, hint) => {
    expect(hintOf(value)).toBe(hint)
    expect(maskedValue(hintOf(value))).not.toContain(value)
  })
})

const nowhere: SecretOwner = {
  orgId: null,
  isOrgTeam: false,
  inPlatformTeam: false,
  orgAdmin: false,
  platformAdmin: false,
}
const attached: SecretOwner = { ...nowhere, orgId: 'org' }
const orgTeam: SecretOwner = { ...attached, isOrgTeam: true }
const platformTeam: SecretOwner = { ...nowhere, inPlatformTeam: true }

describe('connection scopes', () => {
  it.each([
    ['user', nowhere, undefined],
    ['team', nowhere, undefined],
    ['org', nowhere, 'validation_error'],
    ['org', { ...nowhere, platformAdmin: true }, 'validation_error'],
    ['org', { ...attached, orgAdmin: true }, 'validation_error'],
    ['org', orgTeam, 'team_role_required'],
    ['org', { ...orgTeam, orgAdmin: true }, undefined],
    ['org', { ...orgTeam, platformAdmin: true }, undefined],
    ['platform', { ...nowhere, platformAdmin: true }, 'validation_error'],
    ['platform', platformTeam, 'forbidden'],
    ['platform', { ...platformTeam, platformAdmin: true }, undefined],
  ] as const)('%s at %j → %s', (scope, place, code) => {
    expect(refuseConnectionScope(scope, place)?.code).toBe(code)
  })
})

describe('websites', () => {
  it.each([
    ['acme.com', 'https://acme.com'],
    ['www.acme.com/pricing', 'https://acme.com'],
    ['https://ACME.com/', 'https://acme.com'],
    ['http://acme.com', null],
    ['javascript://acme.com', null],
    ['https://user@acme.com', null],
    ['localhost', null],
    ['not a site', null],
    ['', null],
  ])('%j → %s', (text, site) => {
    expect(normaliseWebsite(text)).toBe(site)
  })
})
