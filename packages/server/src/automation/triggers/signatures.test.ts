// Guarantees: a delivery is accepted if and only if the provider signed exactly these bytes with this secret. The
// accepted cases are the published examples of the providers.
import { createPrivateKey, createSecretKey, sign, verify } from 'node:crypto'
import type { SignatureStrategy, StrategyConfig } from '@millrace/contract/triggers'
import { Webhook } from 'standardwebhooks'
import { describe, expect, it } from 'vitest'
import { signStandardWebhook } from '#platform/core/webhook-signing.ts'
import { checkSignature, readPublicKey, type SignedDelivery } from './signatures.ts'
import { findSource } from './sources.ts'

type Case = {
  strategy: SignatureStrategy
  config: StrategyConfig
  secret: string
  nowSeconds: number
  headers: Record<string, string>
  body: string
}

const bytes = (text: string) => new TextEncoder().encode(text)

const check = ({ strategy, config, secret, nowSeconds, headers, body }: Case, change: Partial<SignedDelivery> = {}) =>
  checkSignature(
    { strategy, strategy_config: config },
    { headers, body: bytes(body), secret, now: new Date(nowSeconds * 1000), ...change },
  )

const seeded = (key: string): { strategy: SignatureStrategy; config: StrategyConfig } => {
  const source = findSource(key)
  if (!source) throw new Error(`no source ${key}`)
  return { strategy: source.strategy, config: source.strategy_config ?? {} }
}

// RFC 8032, section 7.1: secret, public key, message, signature.
const ed25519Vectors = [
  {
    name: 'TEST 1',
    seed: '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60',
    key: 'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
    message: '',
    signature:
      'e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b',
  },
  {
    name: 'TEST 2',
    seed: '4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb',
    key: '3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c',
    message: '72',
    signature:
      '92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00',
  },
  {
    name: 'TEST 3',
    seed: 'c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7',
    key: 'fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025',
    message: 'af82',
    signature:
      '6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a',
  },
]

const signEd25519 = (seedHex: string, message: string) => {
  const pkcs8 = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), Buffer.from(seedHex, 'hex')])
  return sign(null, Buffer.from(message), createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' })).toString(
    'hex',
  )
}

const stripeEvent = {
  id: 'evt_123',
  object: 'event',
  account: 'acct_123',
  api_version: '2017-05-25',
  created: 1533204620,
  data: {
    object: {
      id: 'ii_123',
      object: 'invoiceitem',
      amount: 1000,
      currency: 'usd',
      customer: 'cus_123',
      date: 1533204620,
      description: 'Test Invoice Item',
      discountable: false,
      invoice: 'in_123',
      livemode: false,
      metadata: {},
      period: { start: 1533204620, end: 1533204620 },
      proration: false,
      quantity: 3,
    },
  },
  livemode: false,
  pending_webhooks: 1,
  request: { id: 'req_123', idempotency_key: 'idempotency-key-123' },
  type: 'invoiceitem.created',
}

const cases: Record<string, Case> = {
  // docs.github.com, "Validating webhook deliveries".
  github: {
    ...seeded('github'),
    secret: "It's a Secret to Everybody",
    nowSeconds: 0,
    headers: { 'x-hub-signature-256': 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17' },
    body: 'Hello, World!',
  },
  signed: {
    ...seeded('signed'),
    secret: "It's a Secret to Everybody",
    nowSeconds: 0,
    headers: { 'x-signature-256': 'sha256=757107EA0EB2509FC211221CCE984B8A37570B6D7586C22C46F4379C8B043E17' },
    body: 'Hello, World!',
  },
  // Linear sends the bare hex digest; this one is RFC 4231's second test case.
  linear: {
    ...seeded('linear'),
    secret: 'Jefe',
    nowSeconds: 0,
    headers: { 'linear-signature': '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843' },
    body: 'what do ya want for nothing?',
  },
  'hmac in base64': {
    strategy: 'hmac-sha256',
    config: { header: 'X-Sig', encoding: 'base64' },
    secret: 'Jefe',
    nowSeconds: 0,
    headers: { 'x-sig': 'W9zBRr9gdU5qBCQmCJV1x1oAPwidJzmDnexYuWTsOEM=' },
    body: 'what do ya want for nothing?',
  },
  // docs.slack.dev, "Verifying requests from Slack".
  slack: {
    ...seeded('slack'),
    secret: '8f742231b10e8888abcd99yyyzzz85a5',
    nowSeconds: 1531420618,
    headers: {
      'x-slack-request-timestamp': '1531420618',
      'x-slack-signature': 'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503',
    },
    body: [
      'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V',
      'channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=',
      'response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN',
      'trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c',
    ].join('&'),
  },
  // The event, secret and signature from the tests of Stripe's own libraries.
  stripe: {
    ...seeded('stripe'),
    secret: 'webhook_secret',
    nowSeconds: 1533204620,
    headers: {
      'stripe-signature': [
        't=1533204620',
        'v1=82216eca827bcb7b34b8055eb2d2d9e6bc13b9ac39ded14a61e69f70c565f53a',
        'v0=63f3a72374a733066c4be69ed7f8e5ac85c22c9f0a6a612ab9a025a9e4ee7eef',
      ].join(','),
    },
    body: `${JSON.stringify(stripeEvent, null, 2)}\n`,
  },
  'ed25519, RFC 8032 TEST 2': {
    strategy: 'ed25519',
    config: { header: 'X-Sig', timestamp_header: 'X-Time' },
    secret: ed25519Vectors[1]?.key ?? '',
    nowSeconds: 0,
    headers: { 'x-time': 'r', 'x-sig': ed25519Vectors[1]?.signature ?? '' },
    body: '',
  },
  discord: {
    ...seeded('discord'),
    secret: ed25519Vectors[0]?.key ?? '',
    nowSeconds: 0,
    headers: {
      'x-signature-timestamp': '1531420618',
      'x-signature-ed25519': signEd25519(ed25519Vectors[0]?.seed ?? '', '1531420618{"type":1}'),
    },
    body: '{"type":1}',
  },
  // The example in the Standard Webhooks specification.
  'standard-webhooks': {
    ...seeded('standard-webhooks'),
    secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    nowSeconds: 1614265330,
    headers: {
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    },
    body: '{"test": 2432232314}',
  },
}

const caseOf = (key: string): Case => {
  const given = cases[key]
  if (!given) throw new Error(`no case ${key}`)
  return given
}

const refusedWith = (reason: string) => ({ ok: false, reason })

describe.each(Object.entries(cases))('%s', (_, given) => {
  const signatureHeader = (given.config.header ?? '').toLowerCase()

  it('accepts the published example', () => {
    expect(check(given)).toEqual({ ok: true })
  })

  it('refuses one changed byte of the body', () => {
    expect(check(given, { body: bytes(`${given.body} `) })).toEqual(refusedWith('mismatch'))
  })

  it('gives the same result with a prepared key', () => {
    const secretKey = createSecretKey(given.secret, 'utf8')
    expect(check(given, { secretKey })).toEqual({ ok: true })
    expect(check(given, { secretKey, body: bytes(`${given.body} `) })).toEqual(refusedWith('mismatch'))
  })

  it('refuses another secret', () => {
    const other = given.strategy === 'ed25519' ? (ed25519Vectors[2]?.key ?? '') : `${given.secret}BBBB`
    expect(check(given, { secret: other })).toEqual(refusedWith('mismatch'))
  })

  it.each([null, ''])('refuses without a secret (%j)', (secret) => {
    expect(check(given, { secret })).toEqual(refusedWith('secret_missing'))
  })

  it.each(Object.keys(given.headers))('refuses without %s', (name) => {
    const headers = { ...given.headers, [name]: undefined }
    expect(check(given, { headers })).toEqual(refusedWith('signature_missing'))
  })

  it.each(['', 'x', 'sha256=', 'v0=', 'v1,', 't=1533204620,v1=', '00'.repeat(32), 'ü'.repeat(64)])(
    'refuses the signature %j',
    (signature) => {
      expect(check(given, { headers: { ...given.headers, [signatureHeader]: signature } }).ok).toBe(false)
    },
  )

  it('refuses a truncated or extended signature', () => {
    const [whole = ''] = [given.headers[signatureHeader]]
    const firstOnly = given.strategy === 'hmac-sha256' ? (whole.split(',v0=')[0] ?? '') : whole
    for (const signature of [firstOnly.slice(0, -2), `${firstOnly}00`]) {
      expect(check(given, { headers: { ...given.headers, [signatureHeader]: signature } }).ok).toBe(false)
    }
  })
})

describe('timestamps', () => {
  it.each(['slack', 'stripe', 'standard-webhooks'])('%s: within 300 s in both directions, not a second more', (key) => {
    const given = caseOf(key)
    for (const [offsetSeconds, ok] of [
      [-301, false],
      [-300, true],
      [0, true],
      [300, true],
      [301, false],
    ] as const) {
      const now = new Date((given.nowSeconds + offsetSeconds) * 1000 + 500)
      expect(check(given, { now })).toEqual(ok ? { ok: true } : refusedWith('timestamp_refused'))
    }
  })

  it.each(['', 'soon', '1e9', '-1', ' 1531420618', '1531420618.0', 'NaN', 'Infinity'])(
    '%j is not a timestamp',
    (text) => {
      const slack = cases.slack
      if (!slack) throw new Error('no case')
      expect(check(slack, { headers: { ...slack.headers, 'x-slack-request-timestamp': text } }).ok).toBe(false)
    },
  )

  it('a signed timestamp cannot be replaced', () => {
    const slack = caseOf('slack')
    const headers = { ...slack.headers, 'x-slack-request-timestamp': '1531420619' }
    expect(check(slack, { headers })).toEqual(refusedWith('mismatch'))
  })

  it('ed25519 has a time window only if the source sets one', () => {
    const discord = caseOf('discord')
    const config = { ...discord.config, tolerance_seconds: 300 }
    expect(check({ ...discord, config })).toEqual(refusedWith('timestamp_refused'))
    expect(check({ ...discord, config, nowSeconds: 1531420618 })).toEqual({ ok: true })
  })
})

describe('ed25519 keys', () => {
  it.each(ed25519Vectors)('RFC 8032 $name, written in hex, base64 and base64url', ({ key, message, signature }) => {
    const raw = Buffer.from(key, 'hex')
    for (const text of [key, key.toUpperCase(), ` ${key}\n`, raw.toString('base64'), raw.toString('base64url')]) {
      const read = readPublicKey(text)
      expect(read && verify(null, Buffer.from(message, 'hex'), read, Buffer.from(signature, 'hex'))).toBe(true)
    }
  })

  it.each(['', 'abc', 'z'.repeat(64), 'd75a98', `${'A'.repeat(44)}`, '-----BEGIN PUBLIC KEY-----'])(
    '%j is not a key',
    (text) => {
      expect(readPublicKey(text)).toBeNull()
    },
  )

  it('an unusable key refuses the delivery', () => {
    const discord = caseOf('discord')
    expect(check(discord, { secret: 'not a key' })).toEqual(refusedWith('secret_unusable'))
  })
})

describe('several signatures', () => {
  it('standard-webhooks: any v1 in the list counts, other versions do not', () => {
    const given = caseOf('standard-webhooks')
    const good = given.headers['webhook-signature'] ?? ''
    for (const [signatures, ok] of [
      [`v1,AAAA ${good}`, true],
      [`${good} v1a,AAAA`, true],
      [good.replace('v1,', 'v2,'), false],
      [good.replace('v1,', 'v1a,'), false],
      ['v1,AAAA v1,BBBB', false],
    ] as const) {
      expect(check(given, { headers: { ...given.headers, 'webhook-signature': signatures } }).ok).toBe(ok)
    }
  })

  it('standard-webhooks: compatible with the reference library in both directions', () => {
    const given = caseOf('standard-webhooks')
    const now = new Date()
    const timestampSeconds = Math.floor(now.getTime() / 1000)
    const library = new Webhook(given.secret)
    const headers = { 'webhook-id': 'msg_7', 'webhook-timestamp': String(timestampSeconds) }
    const theirs = { ...headers, 'webhook-signature': library.sign('msg_7', now, given.body) }
    expect(check(given, { headers: theirs, now })).toEqual({ ok: true })
    const [ours = ''] = signStandardWebhook(given.secret, { id: 'msg_7', timestampSeconds, body: given.body })
    expect(library.verify(given.body, { ...headers, 'webhook-signature': ours })).toEqual({ test: 2432232314 })
    expect(check(given, { headers: { ...theirs, 'webhook-id': 'msg_8' }, now })).toEqual(refusedWith('mismatch'))
  })

  it('standard-webhooks: the headers of Svix count as well, unless a webhook-id is given', () => {
    const given = caseOf('standard-webhooks')
    const entries = Object.entries(given.headers)
    const headers = Object.fromEntries(entries.map(([name, value]) => [name.replace('webhook-', 'svix-'), value]))
    expect(check(given, { headers })).toEqual({ ok: true })
    expect(check(given, { headers: { ...headers, 'svix-id': 'msg_8' } })).toEqual(refusedWith('mismatch'))
    // The id that names the delivery is the one that was signed.
    expect(check(given, { headers: { ...headers, 'webhook-id': 'msg_8' } })).toEqual(refusedWith('signature_missing'))
  })

  it('stripe: any v1 counts, a v0 does not', () => {
    const given = caseOf('stripe')
    const good = '82216eca827bcb7b34b8055eb2d2d9e6bc13b9ac39ded14a61e69f70c565f53a'
    for (const [header, ok] of [
      [`t=1533204620,v1=${'0'.repeat(64)},v1=${good}`, true],
      [`t=1533204620, v1=${good}`, true],
      [`v1=${good},t=1533204620`, true],
      [`t=1533204620,v0=${good}`, false],
      [`t=1533204621,v1=${good}`, false],
      [`v1=${good}`, false],
    ] as const) {
      expect(check(given, { headers: { 'stripe-signature': header } }).ok).toBe(ok)
    }
  })
})

it('none requires no signature', () => {
  const delivery = { headers: {}, body: bytes('{}'), secret: null, now: new Date(0) }
  expect(checkSignature({ strategy: 'none' }, delivery)).toEqual({ ok: true })
})
