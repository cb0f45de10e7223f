// Guarantees: a terminal shows sentences, a machine gets JSON, and neither contains other fields of an error.
import { expect, it } from 'vitest'
import { describeError, readableLine } from './log.ts'

const entry = (fields: object) => JSON.stringify({ level: 30, time: 0, pid: 1, hostname: 'h', ...fields })

it('a line has the time, the message and its details', () => {
  expect(readableLine(entry({ msg: 'shipped app deployed', app: 'echo', n: 2 }))).toBe(
    '00:00:00 shipped app deployed  app=echo  n=2\n',
  )
  expect(
    readableLine(entry({ level: 50, msg: 'it broke', err: { message: 'why', stack: 'Error: why\n    at x' } })),
  ).toBe('00:00:00 error: it broke\nError: why\n    at x\n')
})

it('an error is logged without its fields', () => {
  const error = Object.assign(new Error('gone', { cause: new TypeError('why') }), {
    code: '57P01',
    client: { secretKey: 42 },
  })
  const told = describeError(error)
  expect(told).toMatchObject({ type: 'Error', message: 'gone', code: '57P01', cause: { type: 'TypeError' } })
  expect(JSON.stringify(told)).not.toContain('secretKey')
  expect(describeError('text')).toBe('text')
})
