// Guarantees: the catalog has the documented form and is the same on every server. A delivery is identified by its
// provider's own id. An address verification is answered and does not fire.
import { TriggerSourceList } from '@millrace/contract/triggers'
import Value from 'typebox/value'
import { describe, expect, it } from 'vitest'
import { challenge, deliveryId, findSource, triggerSources, verifyingSource } from './sources.ts'

describe('the catalogue', () => {
  it('has the built-in sources with their strategies', () => {
    expect(Object.fromEntries(triggerSources.map(({ key, strategy }) => [key, strategy]))).toEqual({
      generic: 'none',
      signed: 'hmac-sha256',
      'standard-webhooks': 'standard-webhooks',
      github: 'hmac-sha256',
      slack: 'slack-v0',
      discord: 'ed25519',
      stripe: 'hmac-sha256',
      linear: 'hmac-sha256',
    })
  })

  it('matches its schema', () => {
    expect(Value.Errors(TriggerSourceList, triggerSources)).toEqual([])
  })

  it('has valid, distinct and fixed ids', () => {
    for (const { id, short_id } of triggerSources) {
      expect(id).toMatch(/^[0-7][0-9a-hjkmnp-tv-z]{25}$/)
      expect(id.startsWith(short_id)).toBe(true)
    }
    expect(new Set(triggerSources.map(({ short_id }) => short_id)).size).toBe(triggerSources.length)
    // A changed id would detach stored triggers from their source.
    expect(findSource('github')?.id).toBe('5s5q8c2j793ap0zeaszrqrcyk9')
  })

  it('requires a secret wherever a signature is checked', () => {
    for (const { strategy, config_schema } of triggerSources) {
      expect(config_schema?.required ?? []).toEqual(strategy === 'none' ? [] : ['secret_ref'])
    }
  })

  it('finds a source by id, short id and key', () => {
    for (const source of triggerSources) {
      for (const reference of [source.id, source.short_id, source.key]) expect(findSource(reference)).toBe(source)
    }
    expect(findSource('gitlab')).toBeUndefined()
    expect(findSource('')).toBeUndefined()
  })
})

describe('verifyingSource', () => {
  it.each([
    [null, {}, 'generic'],
    [null, { secret_ref: 'HOOK' }, 'signed'],
    [null, { secret_ref: '' }, 'generic'],
    ['github', {}, 'github'],
    ['generic', { secret_ref: 'HOOK' }, 'generic'],
  ])('%j with %j is verified as %s', (source, config, key) => {
    expect(verifyingSource(source, config).key).toBe(key)
  })
})

describe('deliveryId', () => {
  it.each([
    ['github', { 'x-github-delivery': '72d3162e' }, {}, 'x-github-delivery:72d3162e'],
    ['linear', { 'linear-delivery': '234d1a4e' }, {}, 'linear-delivery:234d1a4e'],
    ['slack', {}, { event_id: 'Ev123' }, 'body.event_id:Ev123'],
    ['stripe', {}, { id: 'evt_123' }, 'body.id:evt_123'],
    ['discord', {}, { id: '846462639134605312', type: 2 }, 'body.id:846462639134605312'],
    ['standard-webhooks', { 'webhook-id': 'msg_1' }, {}, 'webhook-id:msg_1'],
    ['standard-webhooks', { 'svix-id': 'msg_1' }, {}, 'svix-id:msg_1'],
    ['standard-webhooks', { 'webhook-id': 'msg_1', 'svix-id': 'msg_2' }, {}, 'webhook-id:msg_1'],
    ['generic', { 'webhook-id': 'msg_1', 'idempotency-key': 'k' }, {}, 'webhook-id:msg_1'],
    ['generic', { 'idempotency-key': ' k ' }, {}, 'idempotency-key:k'],
    ['generic', { 'idempotency-key': ['k', 'l'] }, {}, 'idempotency-key:k'],
    ['signed', { 'idempotency-key': 'k' }, {}, 'idempotency-key:k'],
    ['slack', { 'idempotency-key': 'k' }, { event_id: 7 }, 'idempotency-key:k'],
    ['stripe', { 'idempotency-key': 'k' }, { id: 'evt_123' }, 'body.id:evt_123'],
    // Headers of another provider, and an `id` in a body that is not a delivery id, are ignored.
    ['generic', { 'x-github-delivery': '1' }, { id: '1' }, null],
    ['github', {}, { id: '1' }, null],
    ['generic', { 'idempotency-key': '  ' }, {}, null],
    ['slack', {}, ['event_id'], null],
    ['slack', {}, null, null],
  ])('%s with headers %j and body %j: %j', (key, headers, payload, id) => {
    expect(deliveryId({ key }, headers, payload)).toBe(id)
  })

  it('shortens a long id and keeps it distinct', () => {
    const ids = ['a', 'b'].map((end) => deliveryId({ key: 'generic' }, { 'webhook-id': 'x'.repeat(5000) + end }, {}))
    expect(ids[0]).not.toBe(ids[1])
    for (const id of ids) expect(id?.length).toBeLessThan(100)
  })
})

describe('challenge', () => {
  it.each([
    [
      'slack',
      { type: 'url_verification', challenge: '3eZb', token: 't' },
      { status: 200, body: { challenge: '3eZb' } },
    ],
    ['slack', { type: 'url_verification' }, null],
    ['slack', { type: 'event_callback', challenge: '3eZb' }, null],
    ['discord', { type: 1 }, { status: 200, body: { type: 1 } }],
    ['discord', { type: 1, id: '1', version: 1, application_id: '2', token: 't' }, { status: 200, body: { type: 1 } }],
    ['discord', { type: 0, version: 1, application_id: '2' }, { status: 204, body: null }],
    ['discord', { type: 1, version: 1, application_id: '2', event: { type: 'ENTITLEMENT_CREATE' } }, null],
    ['discord', { type: 2, id: '1' }, null],
    ['discord', { type: '1' }, null],
    ['generic', { type: 'url_verification', challenge: 'x' }, null],
    ['github', { type: 1 }, null],
    ['slack', null, null],
    ['discord', [1], null],
  ])('%s answers %j with %j', (key, payload, answer) => {
    expect(challenge({ key }, payload)).toEqual(answer)
  })
})
