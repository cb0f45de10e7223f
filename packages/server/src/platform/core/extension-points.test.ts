import { expect, it } from 'vitest'
import { createExtensions, extensionPoint, on } from './extension-points.ts'

const doubled = extensionPoint<(value: number) => number>('doubled')
const named = extensionPoint<string>('named')

it('returns the listeners of a point in the order of their declaration', () => {
  const extensions = createExtensions([on(named, 'a'), on(doubled, (value) => value * 2), on(named, 'b')])
  expect(extensions.listenersOf(named)).toEqual(['a', 'b'])
  expect(extensions.listenersOf(doubled).map((run) => run(4))).toEqual([8])
})

it('returns no listener for a point that nobody joined', () => {
  expect(createExtensions([]).listenersOf(named)).toEqual([])
})

it('tells points apart that share a name', () => {
  const other = extensionPoint<string>('named')
  expect(createExtensions([on(other, 'a')]).listenersOf(named)).toEqual([])
})
