// Guarantees: a test delivery is signed in the scheme of each sender that the server supports.
import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { canSign, generateSecret, signatureOf } from './sign.ts'

const delivery = { body: '{"text":"flour"}', secret: 'mill', nowMs: 1_700_000_000_999, id: 'msg_1' }
const digest = (key: string | Buffer, text: string, encoding: 'hex' | 'base64') =>
  createHmac('sha256', key).update(text).digest(encoding)

describe('the signature of a test delivery', () => {
  it('covers the body if nothing else is signed', async () => {
    const config = { header: 'X-Hub-Signature-256', prefix: 'sha256=', encoding: 'hex' as const }
    expect(await signatureOf({ strategy: 'hmac-sha256', strategy_config: config }, delivery)).toEqual({
      'X-Hub-Signature-256': `sha256=${digest('mill', delivery.body, 'hex')}`,
    })
  })

  it('contains the time if the header is a list', async () => {
    const config = { header: 'Stripe-Signature', prefix: 'v1=', timestamp_prefix: 't=', encoding: 'hex' as const }
    expect(await signatureOf({ strategy: 'hmac-sha256', strategy_config: config }, delivery)).toEqual({
      'Stripe-Signature': `t=1700000000,v1=${digest('mill', `1700000000.${delivery.body}`, 'hex')}`,
    })
  })

  it('has the format of Slack', async () => {
    expect(await signatureOf({ strategy: 'slack-v0' }, delivery)).toEqual({
      'x-slack-request-timestamp': '1700000000',
      'x-slack-signature': `v0=${digest('mill', `v0:1700000000:${delivery.body}`, 'hex')}`,
    })
  })

  it.each([
    ['mill', Buffer.from('mill')],
    [`whsec_${Buffer.from('flour').toString('base64')}`, Buffer.from('flour')],
  ])('follows Standard Webhooks with the secret %s', async (secret, key) => {
    expect(await signatureOf({ strategy: 'standard-webhooks' }, { ...delivery, secret })).toEqual({
      'webhook-id': 'msg_1',
      'webhook-timestamp': '1700000000',
      'webhook-signature': `v1,${digest(key, `msg_1.1700000000.${delivery.body}`, 'base64')}`,
    })
  })

  it('is not possible for a sender with a private key', () => {
    expect(canSign({ strategy: 'ed25519' })).toBe(false)
    expect(canSign({ strategy: 'slack-v0' })).toBe(true)
  })

  it('accepts a generated secret', async () => {
    const strategy = 'standard-webhooks'
    const secret = generateSecret({ strategy })
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    const key = Buffer.from(secret.slice(6), 'base64')
    expect((await signatureOf({ strategy }, { ...delivery, secret }))['webhook-signature']).toBe(
      `v1,${digest(key, `msg_1.1700000000.${delivery.body}`, 'base64')}`,
    )
  })
})
