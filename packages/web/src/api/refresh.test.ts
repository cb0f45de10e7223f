// Guarantees: a refresh after a change returns data from after the change, also while a first request is in progress.
import { QueryClient, QueryObserver } from '@tanstack/react-query'
import { expect, it } from 'vitest'
import { refresh } from './refresh.ts'

const world = () => {
  const client = new QueryClient()
  const answers: ((value: string) => void)[] = []
  const queryFn = () => new Promise<string>((resolve) => answers.push(resolve))
  const watch = (queryKey: string[]) => {
    const observer = new QueryObserver(client, { queryKey, queryFn })
    observer.subscribe(() => {})
    return observer
  }
  const answer = async (which: number, value: string) => {
    await expect.poll(() => answers.length).toBeGreaterThan(which)
    answers[which]?.(value)
  }
  return { client, answers, watch, answer }
}

it('repeats a first request that was in progress during the change', async () => {
  const { client, answers, watch, answer } = world()
  const shown = watch(['workspaces', 'limits'])
  const done = refresh(client, { queryKey: ['workspaces'] })
  await answer(0, 'before')
  await answer(1, 'after')
  await done
  expect(shown.getCurrentResult().data).toBe('after')
  expect(answers).toHaveLength(2)
})

it('refetches loaded data once, and leaves other queries alone', async () => {
  const { client, answers, watch, answer } = world()
  const shown = watch(['workspaces', 'limits'])
  await answer(0, 'before')
  await expect.poll(() => shown.getCurrentResult().data).toBe('before')
  const other = watch(['plans'])
  await answer(1, 'plan')
  const done = refresh(client, { queryKey: ['workspaces'] })
  await answer(2, 'after')
  await done
  expect(shown.getCurrentResult().data).toBe('after')
  expect(other.getCurrentResult().data).toBe('plan')
  expect(answers).toHaveLength(3)
})
