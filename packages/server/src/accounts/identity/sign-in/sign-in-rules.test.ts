// Guarantees: which addresses may create an account, and that a sign-in redirects only within the app.
import { describe, expect, it } from 'vitest'
import { isFailure } from '#platform/core/errors.ts'
import { ownAddress, readEmail, readRedirect, refuseNewAccount } from './sign-in-rules.ts'

const app = 'https://app.mill.example'

const codeOf = (work: () => unknown): string => {
  try {
    work()
    return 'fine'
  } catch (error) {
    return isFailure(error) ? error.code : 'unexpected'
  }
}

describe('where a sign-in may lead', () => {
  it.each([
    ['/docs', `${app}/docs`],
    ['docs', `${app}/docs`],
    ['/device?code=AB#x', `${app}/device?code=AB#x`],
    [`${app}/a/../b`, `${app}/b`],
    ['https://APP.mill.example/x', `${app}/x`],
    ['https://app.mill.example:443/x', `${app}/x`],
    ['http://app.mill.example/x', undefined],
    ['https://app.mill.example:8443/x', undefined],
    ['https://app.mill.example.evil.example/', undefined],
    ['https://evil.example/app.mill.example', undefined],
    ['https://app.mill.example@evil.example/', undefined],
    ['https://user:word@app.mill.example/', undefined],
    ['//evil.example/x', undefined],
    ['/\\evil.example/x', undefined],
    ['\\\\evil.example', undefined],
    ['/\t/evil.example', undefined],
    ['javascript:alert(1)', undefined],
    ['data:text/html,x', undefined],
    ['https://', undefined],
  ])('%s', (asked, expected) => {
    expect(ownAddress(asked, app)).toBe(expected)
    expect(codeOf(() => readRedirect(asked, app))).toBe(expected === undefined ? 'validation_error' : 'fine')
  })

  it('nothing asked for is nothing', () => {
    expect([readRedirect(undefined, app), readRedirect('', app)]).toEqual([null, null])
  })
})

describe('who may open an account', () => {
  it.each([
    ['a@mill.example', false, 'fine'],
    ['a@mill.example', true, 'fine'],
    ['a+tag@mill.example', false, 'fine'],
    ['a+tag@mill.example', true, 'invalid_email'],
    ['a+tag@gmail.com', true, 'fine'],
    ['a+tag@outlook.com', true, 'fine'],
    ['a@mailinator.com', false, 'disposable_email'],
    ['a+tag@mailinator.com', true, 'disposable_email'],
  ])('%s, plus tags enforced: %s', (email, enforcePlusAlias, expected) => {
    expect(codeOf(() => refuseNewAccount(email, { enforcePlusAlias }))).toBe(expected)
  })

  it.each([
    [' Ada@Mill.Example\n', 'ada@mill.example'],
    ['ada@bücher.example', 'ada@xn--bcher-kva.example'],
  ])('stores %s in one form', (typed, stored) => {
    expect(readEmail(typed)).toBe(stored)
  })

  it.each(['', 'ada', '@mill.example', 'ada@', 'a b@mill.example', 'ada@mill.example\r\nbcc: x@y.example'])(
    'refuses %j',
    (typed) => {
      expect(codeOf(() => readEmail(typed))).toBe('invalid_email')
    },
  )
})
