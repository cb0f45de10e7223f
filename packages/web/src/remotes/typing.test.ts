// Guarantees: terminal input arrives complete and in order on any connection, one request at a time.
import { expect, it } from 'vitest'
import { createTyping } from './typing.ts'

const textOf = (data: string): string => Buffer.from(data, 'base64').toString('utf8')
const settle = () => new Promise((resolve) => setImmediate(resolve))

it('sends the first key at once and the rest together, in order', async () => {
  const sent: string[] = []
  let arrived: () => void = () => {}
  const type = createTyping(
    (data) => {
      sent.push(textOf(data))
      return new Promise<void>((resolve) => {
        arrived = resolve
      })
    },
    () => {},
  )
  for (const key of 'münze') type(key)
  expect(sent).toEqual(['m'])
  arrived()
  await settle()
  expect(sent).toEqual(['m', 'ünze'])
})

it('splits pasted text into pieces that the server accepts', async () => {
  const sizes: number[] = []
  const type = createTyping(
    async (data) => sizes.push(Buffer.from(data, 'base64').length),
    () => {},
  )
  type('x'.repeat(100_000))
  await settle()
  expect([sizes.reduce((sum, size) => sum + size, 0), Math.max(...sizes) <= 64 * 1024]).toEqual([100_000, true])
})

it('drops waiting input when the command is gone, and reports it once', async () => {
  const faults: unknown[] = []
  const type = createTyping(
    () => Promise.reject(new Error('it has ended')),
    (error) => faults.push(error),
  )
  type('a')
  type('b')
  await settle()
  expect(faults).toHaveLength(1)
})
