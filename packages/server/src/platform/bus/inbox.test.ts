// Guarantees: a reader gets all items in order or is notified of a gap, stops waiting when aborted, and its backlog is
// limited.
import { describe, expect, it } from 'vitest'
import { createInbox } from './inbox.ts'

const open = (limits: { items: number; bytes?: number } = { items: 3 }) => {
  const stopping = new AbortController()
  return { inbox: createInbox<string>(limits, stopping.signal), stop: () => stopping.abort() }
}

const nothing = { dropped: false, mayHaveMissed: false }

describe('an inbox', () => {
  it('returns the items since the last call in order', async () => {
    const { inbox } = open()
    inbox.put('a')
    inbox.put('b')
    expect(await inbox.take()).toEqual({ items: ['a', 'b'], ...nothing })
    inbox.put('c')
    expect(await inbox.take()).toEqual({ items: ['c'], ...nothing })
  })

  it('waits for the next item', async () => {
    const { inbox } = open()
    const taken = inbox.take()
    inbox.put('a')
    expect(await taken).toEqual({ items: ['a'], ...nothing })
  })

  it('drops its backlog above its limit and reports it once', async () => {
    const { inbox } = open()
    for (const item of ['a', 'b', 'c', 'd', 'e']) inbox.put(item)
    expect(await inbox.take()).toEqual({ items: [], dropped: true, mayHaveMissed: false })
    inbox.put('f')
    expect(await inbox.take()).toEqual({ items: ['f'], ...nothing })
  })

  it('limits the size of the backlog but accepts one item of any size', async () => {
    const { inbox } = open({ items: 100, bytes: 10 })
    inbox.put('heavy', 50)
    expect(await inbox.take()).toEqual({ items: ['heavy'], ...nothing })
    inbox.put('a', 6)
    inbox.put('b', 6)
    expect(await inbox.take()).toEqual({ items: [], dropped: true, mayHaveMissed: false })
  })

  it('keeps its items when asked to reload', async () => {
    const { inbox } = open()
    inbox.put('a')
    inbox.requestReload()
    expect(await inbox.take()).toEqual({ items: ['a'], dropped: false, mayHaveMissed: true })
  })

  it('ends a waiting reader when aborted', async () => {
    const { inbox, stop } = open()
    const taken = inbox.take()
    stop()
    expect(await taken).toEqual({ items: [], ...nothing })
  })
})
