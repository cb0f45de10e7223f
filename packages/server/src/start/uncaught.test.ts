// Guarantees: an uncaught error is logged and counted; it stops the process in order only if its state may be damaged.
import { AssertionError } from 'node:assert'
import { EventEmitter } from 'node:events'
import pino from 'pino'
import { expect, it } from 'vitest'
import { watchUncaught } from './uncaught.ts'

const watched = () => {
  const source = new EventEmitter()
  const stops: number[] = []
  let atMs = 0
  const uncaught = watchUncaught(source, {
    log: pino({ level: 'silent' }),
    stop: (code) => stops.push(code),
    nowMs: () => atMs,
  })
  const pass = (ms: number): void => {
    atMs += ms
  }
  return { source, stops, uncaught, pass }
}

it('counts errors by origin and continues', async () => {
  const { source, stops, uncaught } = watched()
  uncaught.started()
  source.emit('uncaughtException', new Error('a handler threw'))
  source.emit('unhandledRejection', 'not even an error')
  source.emit('unhandledRejection', new Error('a loose promise'))
  expect(stops).toEqual([])
  expect(await uncaught.figure.read()).toEqual([
    { labels: { origin: 'uncaughtException' }, value: 1 },
    { labels: { origin: 'unhandledRejection' }, value: 2 },
  ])
})

it('stops once after a failed assertion', () => {
  const { source, stops, uncaught } = watched()
  uncaught.started()
  for (let count = 0; count < 2; count += 1)
    source.emit('uncaughtException', new AssertionError({ message: 'two owners' }))
  expect(stops).toEqual([1])
})

it('stops after frequent errors, not after rare ones', () => {
  const { source, stops, uncaught, pass } = watched()
  uncaught.started()
  for (let count = 0; count < 100; count += 1) {
    source.emit('uncaughtException', new Error('now and then'))
    pass(10_000)
  }
  expect(stops).toEqual([])
  for (let count = 0; count < 21; count += 1) source.emit('unhandledRejection', new Error('all the time'))
  expect(stops).toEqual([1])
})

it('an error in a handler during the start is a failed start', () => {
  const { source, stops } = watched()
  source.emit('uncaughtException', new Error('too early'))
  expect(stops).toEqual([1])
})
