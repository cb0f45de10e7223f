// Guarantees: a socket is read no faster than its messages are processed; at most the limit and one message are in
// memory.
import { expect, it } from 'vitest'
import { createSocketIntake } from './intake.ts'

const setting = () => {
  const calls: string[] = []
  const socket = { pause: () => calls.push('pause'), resume: () => calls.push('resume') }
  return { calls, intake: createSocketIntake(socket, 100) }
}

it('[S25] above the limit reading pauses until enough was processed', () => {
  const { calls, intake } = setting()
  const first = intake.take(60)
  const second = intake.take(60)
  expect(calls).toEqual(['pause'])
  first()
  expect(calls).toEqual(['pause', 'resume'])
  second()
  expect(intake.unprocessedBytes()).toBe(0)
})

it('one message may exceed the limit, and completing it twice counts once', () => {
  const { calls, intake } = setting()
  const done = intake.take(1_000)
  expect(calls).toEqual(['pause'])
  done()
  done()
  expect(calls).toEqual(['pause', 'resume'])
  expect(intake.unprocessedBytes()).toBe(0)
})
