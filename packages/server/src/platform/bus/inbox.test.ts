// Guards: a reader gets everything in order or is told that it did not, waits no longer than it is wanted, and holds no more
// than its bounds.
import { describe, expect, it } from 'vitest'
import { createInbox } from './inbox.ts'

const open = (limits: { items: number; bytes?: number } = { items: 3 }) => {
  const stopping = new AbortController()
  return { inbox: createInbox<string>(limits, stopping.signal), stop: () => stopping.abort() }
}

const nothing = { dropped: false, doubted: false }

describe('an inbox', () => {
  it('gives what came since the last time, in order', async () => {
    const { inbox } = open()
    inbox.put('a')
    inbox.put('b')
    expect(await inbox.take()).toEqual({ items: ['a', 'b'], ...nothing })
    inbox.put('c')
    expect(await inbox.take()).toEqual({ items: ['c'], ...nothing })
  })

  it('waits for what comes next', async () => {
    const { inbox } = open()
    const taken = inbox.take()
    inbox.put('a')
    expect(await taken).toEqual({ items: ['a'], ...nothing })
  })

  it('drops its backlog when more comes than it holds, and says so once', async () => {
    const { inbox } = open()
    for (const item of ['a', 'b', 'c', 'd', 'e']) inbox.put(item)
    expect(await inbox.take()).toEqual({ items: [], dropped: true, doubted: false })
    inbox.put('f')
    expect(await inbox.take()).toEqual({ items: ['f'], ...nothing })
  })

  it('bounds the weight of what waits, but takes one item whatever it weighs', async () => {
    const { inbox } = open({ items: 100, bytes: 10 })
    inbox.put('heavy', 50)
    expect(await inbox.take()).toEqual({ items: ['heavy'], ...nothing })
    inbox.put('a', 6)
    inbox.put('b', 6)
    expect(await inbox.take()).toEqual({ items: [], dropped: true, doubted: false })
  })

  it('keeps what it has when it is told to look again', async () => {
    const { inbox } = open()
    inbox.put('a')
    inbox.lookAgain()
    expect(await inbox.take()).toEqual({ items: ['a'], dropped: false, doubted: true })
  })

  it('lets a reader go that is not wanted any more', async () => {
    const { inbox, stop } = open()
    const taken = inbox.take()
    stop()
    expect(await taken).toEqual({ items: [], ...nothing })
  })
})
