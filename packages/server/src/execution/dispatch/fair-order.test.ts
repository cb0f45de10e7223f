// Guarantees: among workspaces with equally few running tasks, the one served longest ago is next; the order within a
// workspace is preserved.
import { expect, it } from 'vitest'
import { createFairOrder } from './fair-order.ts'

const task = (id: string, team_id: string, turn: number) => ({ id, team_id, turn })
const names = (tasks: readonly { id: string }[]) => tasks.map(({ id }) => id).join(' ')

it('a workspace with many tasks and one with a single task take turns', () => {
  const fairOrder = createFairOrder()
  const waiting = [task('a1', 'a', 1), task('b1', 'b', 1), task('a2', 'a', 2)]
  expect(names(fairOrder.inOrder(waiting))).toBe('a1 b1 a2')
  fairOrder.served('a')
  expect(names(fairOrder.inOrder(waiting))).toBe('b1 a1 a2')
  fairOrder.served('b')
  expect(names(fairOrder.inOrder(waiting))).toBe('a1 b1 a2')
})

it('the number of running tasks counts before the time of service', () => {
  const fairOrder = createFairOrder()
  fairOrder.served('b')
  expect(names(fairOrder.inOrder([task('b1', 'b', 1), task('a1', 'a', 3)]))).toBe('b1 a1')
})
