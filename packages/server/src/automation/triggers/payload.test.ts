// Guarantees: the body of a webhook is refused unless it is JSON that the server and the database can store; the log
// stores payloads up to 64 KiB.
import { describe, expect, it } from 'vitest'
import { capturedMaxBytes, capturedText, hookBodyMaxBytes, readPayload } from './payload.ts'

const bytes = (text: string) => new TextEncoder().encode(text)
const nested = (depth: number) => `${'['.repeat(depth)}1${']'.repeat(depth)}`

describe('readPayload', () => {
  it.each([
    ['{"a":1}', { a: 1 }],
    [' [1] ', [1]],
    ['"text"', 'text'],
    ['null', null],
    ['', {}],
    [' \n', {}],
    ['{"grüße":"🎈"}', { grüße: '🎈' }],
  ])('reads %j', (text, payload) => {
    expect(readPayload(bytes(text))).toEqual({ ok: true, payload, text: text.trim() === '' ? '{}' : text })
  })

  it.each(['{"a":"\\u0000"}', '{"a":"\\ud800"}', '["\\uDC00 tail"]', '{"__proto__":1}'])('refuses %j', (text) => {
    expect(readPayload(bytes(text))).toEqual({ ok: false, detail: expect.stringContaining('contains NUL') })
  })

  it('accepts escapes that form complete characters', () => {
    expect(readPayload(bytes('"\\ud83c\\udf88"'))).toMatchObject({ ok: true, payload: '🎈' })
  })

  it.each(['{', '{"a":1}}', 'token=1&b=2', "{'a':1}", 'NaN', '<xml/>'])('refuses %j', (text) => {
    expect(readPayload(bytes(text))).toEqual({ ok: false, detail: 'the body is not JSON' })
  })

  describe('a form', () => {
    const readForm = (text: string) => readPayload(bytes(text), 'application/x-www-form-urlencoded; charset=utf-8')
    const json = '{"action":"opened","n":[1,"ü"]}'

    it.each([
      ['the field `payload` holds the JSON', `payload=${encodeURIComponent(json)}`, JSON.parse(json), json],
      ['plus signs are spaces', 'payload=%7B%22a%22:+1%7D', { a: 1 }, '{"a": 1}'],
      [
        'other forms are objects',
        'token=1&b=two+words',
        { token: '1', b: 'two words' },
        '{"token":"1","b":"two words"}',
      ],
      ['a payload that is not JSON stays a field', 'payload=hello', { payload: 'hello' }, '{"payload":"hello"}'],
      ['JSON with the type of a form, as curl sends it', json, JSON.parse(json), json],
      ['a text of JSON, as curl sends it', '"a=1"', 'a=1', '"a=1"'],
      ['a number of JSON, as curl sends it', '5', 5, '5'],
      ['nothing', '', {}, '{}'],
    ])('%s', (_claim, text, payload, stored) => {
      expect(readForm(text)).toEqual({ ok: true, payload, text: stored })
    })

    it.each([
      [`payload=${nested(201)}`, 'is nested'],
      ['payload=%7B%22a%22:%22%5Cu0000%22%7D', 'contains NUL'],
      ['a=%00', 'contains NUL'],
      ['__proto__=1', 'contains NUL'],
      ['a=&'.repeat(300), 'has more than 256 fields'],
      ['hello', 'is not JSON'],
    ])('refuses %j', (text, detail) => {
      expect(readForm(text)).toEqual({ ok: false, detail: expect.stringContaining(detail) })
    })

    it('may be as large as JSON', () => {
      expect(readForm(`payload=${encodeURIComponent(`"${'x'.repeat(200_000)}"`)}`)).toMatchObject({ ok: true })
    })
  })

  it('refuses bytes that are not UTF-8', () => {
    expect(readPayload(Uint8Array.of(0x22, 0xff, 0x22))).toEqual({ ok: false, detail: 'the body is not JSON' })
  })

  it('accepts 1 MiB and not one byte more', () => {
    const text = (length: number) => `"${'x'.repeat(length - 2)}"`
    expect(readPayload(bytes(text(hookBodyMaxBytes))).ok).toBe(true)
    expect(readPayload(bytes(text(hookBodyMaxBytes + 1)))).toEqual({
      ok: false,
      detail: expect.stringContaining('1048576'),
    })
    expect(hookBodyMaxBytes).toBe(1_048_576)
  })

  it.each([
    [1, true],
    [200, true],
    [201, false],
    [500_000, false],
  ])('nested %i deep: %s', (depth, ok) => {
    expect(readPayload(bytes(nested(depth))).ok).toBe(ok)
  })
})

describe('capturedText', () => {
  it.each(['{"a":1}', '[]', 'null', '"text"', '{ "spaced" : 1 }'])('keeps %s', (text) => {
    expect(capturedText(text)).toBe(text)
  })

  it('counts bytes, not characters', () => {
    const fits = `"${'x'.repeat(capturedMaxBytes - 2)}"`
    expect(capturedText(fits)).toBe(fits)
    expect(JSON.parse(capturedText(`${fits} `))).toEqual({ truncated: true, size: 65_537 })
    expect(JSON.parse(capturedText(JSON.stringify('ü'.repeat(40_000))))).toEqual({ truncated: true, size: 80_002 })
  })
})
