// Guarantees: one mailbox is one person at providers that fold addresses; elsewhere two spellings are two people;
// disposable domains are recognized with all their subdomains.
import { describe, expect, test } from 'vitest'
import { emailDomain, isDisposable, isValidEmail, mailboxKey, normaliseEmail, plusIsDistinct } from './email.ts'

describe('normaliseEmail', () => {
  test.each([
    ['  Ada@Example.COM ', 'ada@example.com'],
    ['ada@MÜNCHEN.example', 'ada@xn--mnchen-3ya.example'],
    ['no at sign', 'no at sign'],
  ])('%j is stored as %j', (typed, stored) => expect(normaliseEmail(typed)).toBe(stored))
  test('is stable', () => expect(normaliseEmail(normaliseEmail(' A@Ü.example '))).toBe(normaliseEmail(' A@Ü.example ')))
})

describe('isValidEmail', () => {
  test.each([
    'a@b.co',
    'ada.lovelace+x@sub.example.com',
    "o'brien@example.com",
    'root@localhost',
    `${'a'.repeat(64)}@b.co`,
  ])('accepts %s', (email) => expect(isValidEmail(email)).toBe(true))
  test.each([
    ...['', '@', 'a@', '@b.co', 'a b@c.de', 'a@b', 'a@b..co', 'a@-b.co', 'a@b-.co', 'a@b.123', '.a@b.co', 'a.@b.co'],
    ...[
      'a..b@c.de',
      'a@b@c.de',
      'a@[127.0.0.1]',
      'a\n@b.co',
      'a@b.co\r\nBcc: x@y.zz',
      'ä@b.co',
      `${'a'.repeat(65)}@b.co`,
    ],
    `a@${'b'.repeat(250)}.co`,
  ])('refuses %j', (email) => expect(isValidEmail(email)).toBe(false))
})

describe('mailboxKey', () => {
  test.each([
    ['A.d.a+news@GMail.com', 'ada@gmail.com'],
    ['ada@googlemail.com', 'ada@gmail.com'],
    ['a.da+x@outlook.com', 'a.da@outlook.com'],
    ['ada+x@hotmail.com', 'ada@hotmail.com'],
    ['ada+x@icloud.com', 'ada@icloud.com'],
    ['ada+x+y@fastmail.com', 'ada@fastmail.com'],
    ['ada+x@proton.me', 'ada@proton.me'],
    ['a.da+x@example.com', 'a.da+x@example.com'],
    ['ada-x@yahoo.com', 'ada-x@yahoo.com'],
    ['+x@gmail.com', '+x@gmail.com'],
  ])('%s reaches %s', (email, mailbox) => expect(mailboxKey(email)).toBe(mailbox))
})

describe('plusIsDistinct', () => {
  test.each([
    ['ada+x@example.com', true],
    ['ada+x@yahoo.com', true],
    ['ada+x@gmail.com', false],
    ['ADA+X@Outlook.com', false],
    ['ada@example.com', false],
  ])('%s: %s', (email, distinct) => expect(plusIsDistinct(email)).toBe(distinct))
})

describe('isDisposable', () => {
  test.each([
    ['mailinator.com', true],
    ['MAILINATOR.com.', true],
    ['anonaddy.com', true],
    ['anyone.anonaddy.com', true],
    ['a.b.33mail.com', true],
    ['not33mail.com', false],
    ['gmail.com', false],
    ['example.com', false],
    ['com', false],
    ['', false],
  ])('%j: %s', (domain, disposable) => expect(isDisposable(domain)).toBe(disposable))
  test('the domain of an address', () => expect(emailDomain(' X@Mailinator.COM')).toBe('mailinator.com'))
})
