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
    expect(readPayload(bytes(text))).toEqual({ ok: false, detail: expect.stringContaining('NUL or broken') })
  })

  it('accepts escapes that form complete characters', () => {
    expect(readPayload(bytes('"\\ud83c\\udf88"'))).toMatchObject({ ok: true, payload: '🎈' })
  })

  it.each(['{', '{"a":1}}', 'token=1&b=2', "{'a':1}", 'NaN', '<xml/>'])('refuses %j', (text) => {
    expect(readPayload(bytes(text))).toEqual({ ok: false, detail: 'the body is not JSON' })
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
