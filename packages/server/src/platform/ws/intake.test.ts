// Guards: a socket is read no faster than what it said is dealt with; at most the limit and one message are held.
import { expect, it } from 'vitest'
import { createIntake } from './intake.ts'

const setting = () => {
  const calls: string[] = []
  const socket = { pause: () => calls.push('pause'), resume: () => calls.push('resume') }
  return { calls, intake: createIntake(socket, 100) }
}

it('[S25] past the limit nothing more is read until enough is dealt with', () => {
  const { calls, intake } = setting()
  const first = intake.take(60)
  const second = intake.take(60)
  expect(calls).toEqual(['pause'])
  first()
  expect(calls).toEqual(['pause', 'resume'])
  second()
  expect(intake.heldBytes()).toBe(0)
})

it('one message may be larger than the limit; what is dealt with twice counts once', () => {
  const { calls, intake } = setting()
  const done = intake.take(1_000)
  expect(calls).toEqual(['pause'])
  done()
  done()
  expect(calls).toEqual(['pause', 'resume'])
  expect(intake.heldBytes()).toBe(0)
})
