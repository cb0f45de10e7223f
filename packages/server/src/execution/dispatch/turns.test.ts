// Guards: whoever was served longest ago is next among those who have equally little running; one's own order stays.
import { expect, it } from 'vitest'
import { createTurns } from './turns.ts'

const task = (id: string, team_id: string, turn: number) => ({ id, team_id, turn })
const names = (tasks: readonly { id: string }[]) => tasks.map(({ id }) => id).join(' ')

it('a workspace with a flood and one with a single run take turns', () => {
  const turns = createTurns()
  const waiting = [task('a1', 'a', 1), task('b1', 'b', 1), task('a2', 'a', 2)]
  expect(names(turns.inOrder(waiting))).toBe('a1 b1 a2')
  turns.served('a')
  expect(names(turns.inOrder(waiting))).toBe('b1 a1 a2')
  turns.served('b')
  expect(names(turns.inOrder(waiting))).toBe('a1 b1 a2')
})

it('what somebody has running counts before when they were served', () => {
  const turns = createTurns()
  turns.served('b')
  expect(names(turns.inOrder([task('b1', 'b', 1), task('a1', 'a', 3)]))).toBe('b1 a1')
})
