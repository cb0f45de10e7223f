// Guarantees: formats accept what ajv-formats accepts, in time that grows with the text.
import { setImmediate as turn } from 'node:timers/promises'
import { fullFormats } from 'ajv-formats/dist/formats.js'
import { describe, expect, it } from 'vitest'
import { longestPiece } from '../../../testing/event-loop.ts'
import { fitsFormat } from './formats.ts'

describe('the format url', () => {
  it.each([
    'https://example.com',
    'http://example.com:8080/a/b?c=d#e',
    'ftp://files.example.com/a.txt',
    'HTTPS://EXAMPLE.COM/',
    'https://user@example.com/',
    'https://user:secret@example.com:443/a@b',
    'https://user:p@ss@example.com',
    'http://203.0.113.5/a',
    'http://10.0.0.1/',
    'http://127.0.0.1/',
    'http://192.168.1.1/',
    'https://exämple.com/ü',
    'https://example.com/a b',
    'https://us er@example.com/',
    'https://@example.com/',
    'https://localhost',
    'https://example',
    'https://-example.com',
    'https://example.com:1/',
    'https://example.com:123456/',
    'https://example.com?query',
    'https:///path',
    'https://',
    'mailto:ada@example.com',
    'example.com',
    '',
  ])('agrees with ajv-formats about %s', (text) => {
    expect(fitsFormat('url', text)).toBe((fullFormats.url as RegExp).test(text))
  })
})

describe('the format byte', () => {
  it.each(['', 'AAAA', 'AAA=', 'AA==', 'A', 'AAAAA', 'A===', 'AA=A', 'AA-_', 'AAAA\nAAAA', '!'])('%j', (text) => {
    const accepted = ['', 'AAAA', 'AAA=', 'AA==', 'AAAA\nAAAA']
    expect(fitsFormat('byte', text)).toBe(accepted.includes(text))
  })

  it('accepts a text of 8 MiB', () => {
    expect(fitsFormat('byte', 'AAAA'.repeat(2 * 1024 * 1024))).toBe(true)
  })
})

const length = 60_000
const starts = ['', 'http://', 'https://a.', 'a@', 'urn:', 'P', '/', '{']
const units = ['a', ':', '@', 'a.', 'a-', '@a.bb/', 'a:b@', '%20', '~0', '1:', '1T', '{a', '=']
const ends = ['', '!', ' ']
const maxPieceMs = 200

describe('a long text', () => {
  it.each(Object.keys(fullFormats))('is checked against %s in linear time', async (name) => {
    for (const start of starts) {
      const texts = units.flatMap((unit) => ends.map((end) => start + unit.repeat(length / unit.length) + end))
      const ms = await longestPiece(async () => {
        for (const text of texts) {
          fitsFormat(name, text)
          await turn()
        }
      }, maxPieceMs)
      expect(ms, start).toBeLessThan(maxPieceMs)
    }
  })
})
