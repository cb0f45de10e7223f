// Guarantees: a Range header has the meaning of RFC 9110, and no value of a client returns bytes outside the file.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { chooseRange, contentRange, type RangeChoice, rangeStillApplies, unsatisfiedContentRange } from './ranges.ts'

const full: RangeChoice = { kind: 'full' }
const none: RangeChoice = { kind: 'unsatisfiable' }
const part = (start: number, end: number): RangeChoice => ({ kind: 'part', start, end })

describe('chooseRange', () => {
  const cases: [claim: string, header: string | undefined, sizeBytes: number, RangeChoice][] = [
    ['no header', undefined, 100, full],
    ['first byte', 'bytes=0-0', 100, part(0, 0)],
    ['both ends', 'bytes=10-19', 100, part(10, 19)],
    ['the whole, spelled out', 'bytes=0-99', 100, part(0, 99)],
    ['an end past the file is cut', 'bytes=90-1000', 100, part(90, 99)],
    ['open ended', 'bytes=40-', 100, part(40, 99)],
    ['open ended at the last byte', 'bytes=99-', 100, part(99, 99)],
    ['a suffix', 'bytes=-10', 100, part(90, 99)],
    ['a suffix longer than the file', 'bytes=-500', 100, part(0, 99)],
    ['an empty suffix', 'bytes=-0', 100, none],
    ['a start at the size', 'bytes=100-', 100, none],
    ['a start past the size', 'bytes=200-300', 100, none],
    ['a start beyond every integer', `bytes=${'9'.repeat(400)}-`, 100, none],
    ['an end beyond every integer', `bytes=5-${'9'.repeat(400)}`, 100, part(5, 99)],
    ['an end before the start is no range', 'bytes=20-10', 100, full],
    ['several ranges', 'bytes=0-1,5-6', 100, full],
    ['several ranges, one absurd', 'bytes=0-1,500-', 100, full],
    ['an empty list element is skipped', 'bytes=,3-4', 100, part(3, 4)],
    ['spaces around the range', ' bytes= 3-4 ', 100, part(3, 4)],
    ['the unit in capitals', 'Bytes=3-4', 100, part(3, 4)],
    ['another unit', 'items=0-5', 100, full],
    ['no unit', '0-5', 100, full],
    ['no range', 'bytes=', 100, full],
    ['only a dash', 'bytes=-', 100, full],
    ['a negative start', 'bytes=--5', 100, full],
    ['letters', 'bytes=a-b', 100, full],
    ['hexadecimal', 'bytes=0x1-0x2', 100, full],
    ['a fraction', 'bytes=1.5-2', 100, full],
    ['a sign', 'bytes=+1-2', 100, full],
    ['other digits', 'bytes=١-٢', 100, full],
    ['a space inside', 'bytes=1 - 2', 100, full],
    ['an empty header', '', 100, full],
    ['an empty file, from the start', 'bytes=0-', 0, full],
    ['an empty file, suffix', 'bytes=-5', 0, full],
    ['a file of one byte', 'bytes=0-', 1, part(0, 0)],
  ]
  test.each(cases)('%s', (_, header, sizeBytes, expected) => {
    expect(chooseRange(header, sizeBytes)).toEqual(expected)
  })

  test('every part is inside the file for any header', () => {
    const header = fc.oneof(fc.string(), fc.stringMatching(/^bytes=[-0-9, ]{0,30}$/))
    fc.assert(
      fc.property(header, fc.nat(), (text, sizeBytes) => {
        const choice = chooseRange(text, sizeBytes)
        if (choice.kind !== 'part') return
        expect(choice.start).toBeGreaterThanOrEqual(0)
        expect(choice.end).toBeGreaterThanOrEqual(choice.start)
        expect(choice.end).toBeLessThan(sizeBytes)
      }),
    )
  })
})

describe('rangeStillApplies', () => {
  const modifiedAt = new Date('2026-01-02T03:04:05Z')
  const cases: [claim: string, string | undefined, boolean][] = [
    ['no condition', undefined, true],
    ['the same tag', '"abc"', true],
    ['another tag', '"abd"', false],
    ['a weak tag never does', 'W/"abc"', false],
    ['the same date', 'Fri, 02 Jan 2026 03:04:05 GMT', true],
    ['a later date', 'Fri, 02 Jan 2026 03:04:06 GMT', false],
    ['nonsense', 'abc', false],
  ]
  test.each(cases)('%s', (_, ifRange, expected) => {
    expect(rangeStillApplies(ifRange, { etag: '"abc"', modifiedAt })).toBe(expected)
  })
})

test('Content-Range contains the part, or only the size for a 416', () => {
  expect(contentRange(0, 9, 100)).toBe('bytes 0-9/100')
  expect(unsatisfiedContentRange(100)).toBe('bytes */100')
})
