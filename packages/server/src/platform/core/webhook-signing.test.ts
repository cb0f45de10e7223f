// Guarantees: receivers can verify what we send: the documented HMAC of the body, and the Standard Webhooks headers
// with the reference library.
import { Webhook } from 'standardwebhooks'
import { describe, expect, it } from 'vitest'
import { completionWebhookHeaders, signBody, signStandardWebhook } from './webhook-signing.ts'

describe('signBody', () => {
  // The first example is GitHub's documentation of this format, the second is RFC 4231.
  it.each([
    ["It's a Secret to Everybody", 'Hello, World!', '757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17'],
    ['Jefe', 'what do ya want for nothing?', '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843'],
  ])('signs with %s', (secret, body, hex) => {
    expect(signBody(secret, body)).toBe(`sha256=${hex}`)
    expect(signBody(secret, Buffer.from(body))).toBe(`sha256=${hex}`)
  })
})

describe('signStandardWebhook', () => {
  it('matches the example of the specification', () => {
    const webhook = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', timestampSeconds: 1614265330, body: '{"test": 2432232314}' }
    expect(signStandardWebhook('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', webhook)).toEqual([
      'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    ])
  })

  it.each([
    ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', new Webhook('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw')],
    ['a plain passphrase', new Webhook('a plain passphrase', { format: 'raw' })],
    ['pässwörd', new Webhook(Buffer.from('pässwörd'), { format: 'raw' })],
  ])('agrees with the reference library: %s', (secret, library) => {
    const timestampSeconds = 1_700_000_000
    for (const body of ['{}', '{"text":"grüße 🎈"}', 'x'.repeat(10_000)]) {
      const signature = signStandardWebhook(secret, { id: 'msg_1', timestampSeconds, body })
      expect(signature).toEqual([library.sign('msg_1', new Date(timestampSeconds * 1000), body)])
    }
  })
})

describe('completionWebhookHeaders', () => {
  const webhook = { id: 'task-1', body: '{"event":"task.completed"}' }

  it('are verified by the reference library and by the body signature', () => {
    const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
    const headers = completionWebhookHeaders({ ...webhook, secret, now: new Date() })
    expect(headers).toMatchObject({
      'Content-Type': 'application/json',
      'X-Webhook-Id': 'task-1',
      'X-Webhook-Signature': signBody(secret, webhook.body),
    })
    expect(new Webhook(secret).verify(webhook.body, headers)).toEqual({ event: 'task.completed' })
  })

  it.each([
    ['base64 with the prefix', 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD'],
    ['base64 without it', 'C2FVsBQIhrscChlQIMV+b5sSYspob7oD'],
  ])('%s: are verified by the reference library', (_claim, secret) => {
    const headers = completionWebhookHeaders({ ...webhook, secret, now: new Date() })
    expect(new Webhook(secret).verify(webhook.body, headers)).toEqual({ event: 'task.completed' })
  })

  it('base64 without the prefix: are also verified as a raw secret', () => {
    const secret = 'C2FVsBQIhrscChlQIMV+b5sSYspob7oD'
    const headers = completionWebhookHeaders({ ...webhook, secret, now: new Date() })
    const library = new Webhook(secret, { format: 'raw' })
    expect(library.verify(webhook.body, headers)).toEqual({ event: 'task.completed' })
  })

  it('have no signature without a secret', () => {
    expect(completionWebhookHeaders({ ...webhook, secret: null, now: new Date(0) })).toEqual({
      'Content-Type': 'application/json',
      'X-Webhook-Id': 'task-1',
    })
  })
})
