// Guarantees: started parts stop in reverse order, even if some fail, and parts that start too late stop at once.
import { expect, it } from 'vitest'
import { createUndo } from './undo.ts'

it('undoes in reverse order, continues after failures and runs once', async () => {
  const undo = createUndo()
  const done: number[] = []
  const step = (n: number, failure?: Error) => async () => {
    done.push(n)
    if (failure) throw failure
  }
  await undo.add(step(1))
  await undo.add(step(2, new Error('two')))
  await undo.add(step(3, new Error('three')))
  await expect(undo.all()).rejects.toThrow('three')
  await expect(undo.all()).rejects.toThrow('three')
  expect(done).toEqual([3, 2, 1])
  await undo.add(step(4))
  expect(done).toEqual([3, 2, 1, 4])
})
