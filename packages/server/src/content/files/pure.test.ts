// Guarantees: addresses are recognized only by their random suffix, and conditional requests follow RFC 9110.
import { describe, expect, it } from 'vitest'
import { isMediaKey, mediaKeyOf, newBlobKey } from './addresses.ts'
import { isNotModified, requestedRange } from './conditions.ts'

const key = 'abcd1234/0123456789abcdefghjkmnpq.png'

describe('mediaKeyOf', () => {
  it.each([
    [`https://mill.example/media/${key}`, key],
    [`http://127.0.0.1:7700/media/${key}?download`, key],
    [`https://mill.example/base/media/${key}`, key],
    [`https://mill.example/media/${key}/more`, null],
    [`https://mill.example/${key}`, null],
    [`https://mill.example/media/${key.toUpperCase()}`, null],
    [`/media/${key}`, null],
    ['https://mill.example/media/abcd1234/%2e%2e', null],
    ['', null],
  ])('%s', (uri, expected) => {
    expect(mediaKeyOf(uri)).toBe(expected)
  })

  it.each(['../x', 'abcd1234/x.png', `${key}\n`, 'abcd1234/0123456789abcdefghjkmnpq'])('%j is not a key', (text) => {
    expect(isMediaKey(text)).toBe(false)
  })

  it('every upload has its own key', () => {
    const keys = new Set(Array.from({ length: 1000 }, () => newBlobKey('abcdefghijklmnop')))
    expect(keys.size).toBe(1000)
  })
})

const validators = { etag: '"e"', modifiedAt: new Date('2026-03-01T12:00:00.900Z') }
const modified = 'Sun, 01 Mar 2026 12:00:00 GMT'

describe('isNotModified', () => {
  it.each([
    [{}, false],
    [{ 'if-none-match': '"e"' }, true],
    [{ 'if-none-match': 'W/"e"' }, true],
    [{ 'if-none-match': '"a", "e"' }, true],
    [{ 'if-none-match': '*' }, true],
    [{ 'if-none-match': '"a"' }, false],
    [{ 'if-none-match': '"a"', 'if-modified-since': modified }, false],
    [{ 'if-modified-since': modified }, true],
    [{ 'if-modified-since': 'Sun, 01 Mar 2026 11:59:59 GMT' }, false],
    [{ 'if-modified-since': 'yesterday' }, false],
  ])('%j', (headers, expected) => {
    expect(isNotModified(headers, validators)).toBe(expected)
  })
})

describe('requestedRange', () => {
  it.each([
    [{ range: 'bytes=0-1' }, 'bytes=0-1'],
    [{ range: 'bytes=0-1', 'if-range': '"e"' }, 'bytes=0-1'],
    [{ range: 'bytes=0-1', 'if-range': '"other"' }, undefined],
    [{ range: 'bytes=0-1', 'if-range': 'W/"e"' }, undefined],
    [{ range: 'bytes=0-1', 'if-range': modified }, 'bytes=0-1'],
    [{ range: 'bytes=0-1', 'if-range': ['"e"', '"f"'] }, undefined],
    [{}, undefined],
  ])('%j', (headers, expected) => {
    expect(requestedRange(headers, validators)).toBe(expected)
  })
})
