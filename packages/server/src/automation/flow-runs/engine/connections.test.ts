// Guarantees: connections resolve at any depth by the rules of keys [flows 2], paths and output mappings read their
// targets, and missing values are omitted.
import { expect, test } from 'vitest'
import { type NodeSource, type NodeSources, resolveInputs } from './connections.ts'
import { readPath } from './paths.ts'
import { readMapped } from './run-output.ts'

const held: Record<string, NodeSource> = {
  map: { stored: true, value: { text: 'hi', value: 'inner', none: null } },
  text: { stored: true, value: 'hello' },
  list: { stored: true, value: [1, 2] },
  nothing: { stored: true, value: null },
  task: { stored: false, value: { text: 'out', value: 'field' } },
  plain: { stored: false, value: { text: 'out' } },
}
const sources: NodeSources = (id) => (Object.hasOwn(held, id) ? held[id] : undefined)
const to = (nodeId: string, key?: string) => ({ connection: { nodeId, ...(key !== undefined && { key }) } })

test.each([
  ['a plain value is itself', 5, 5],
  ['null is a value', null, null],
  ['no key: the whole map', to('map'), held.map?.value],
  ['an empty key: the whole map', to('map', ''), held.map?.value],
  ['`value`: the whole stored map, even if it has such an entry', to('map', 'value'), held.map?.value],
  ['another key: that entry', to('map', 'text'), 'hi'],
  ['an entry that is null', to('map', 'none'), null],
  ['a key on text: the whole text', to('text', 'anything'), 'hello'],
  ['a key on a list: the whole list', to('list', '0'), [1, 2]],
  ['a key on null: null', to('nothing', 'x'), null],
  ['a field `value` of a task output', to('task', 'value'), 'field'],
  ['`value` of a task output without it: the whole output', to('plain', 'value'), { text: 'out' }],
  ['inside a list', [1, to('text')], [1, 'hello']],
  ['deep inside', { a: [{ b: to('map', 'text') }] }, { a: [{ b: 'hi' }] }],
  ['without a value inside a list: null', [to('gone')], [null]],
  ['without a value inside an object: no key', { a: to('gone'), b: 1 }, { b: 1 }],
  ['the fallback without a value', { ...to('gone'), value: 7 }, 7],
  ['the fallback for a missing entry', { ...to('map', 'q'), value: 7 }, 7],
  ['a real value before the fallback', { ...to('map', 'none'), value: 7 }, null],
])('%s', (_claim, input, value) => expect(resolveInputs({ x: input }, sources)).toEqual({ x: value }))

test.each([
  ['an unknown source', to('gone')],
  ['a missing entry', to('map', 'q')],
  ['an inherited property name', to('map', 'constructor')],
  ['a connection without a node', { connection: 'map' }],
])('%s omits the key', (_claim, input) => expect(resolveInputs({ x: input }, sources)).toEqual({}))

const document = { a: { b: [{ c: 1 }, [2, 3]], 'x y': 4 }, list: [5], empty: null }

test.each([
  ['a.b[0].c', 1],
  ['a.b[1][0]', 2],
  ['a.b.1.1', 3],
  ['a.x y', 4],
  ['list[0]', 5],
  ['[0]', undefined],
  ['a.b[9]', undefined],
  ['a.q.c', undefined],
  ['empty.x', undefined],
  ['empty', null],
  ['a.constructor', undefined],
  ['list.length', undefined],
  ['list[-1]', undefined],
])('path %s gives %j', (path, value) => expect(readPath(document, path)).toEqual(value))

test.each([
  ['', document, document],
  ['', 'text', 'text'],
  ['value', 'text', 'text'],
  ['value', [1], [1]],
  ['value', null, null],
  ['value', { value: 3 }, 3],
  ['value', { other: 3 }, undefined],
  ['value.x', { value: { x: 1 } }, 1],
  ['a.b[0].c', document, 1],
  ['[1]', [1, 2], 2],
  ['x', 'text', undefined],
])('mapping %j of %j gives %j', (path, value, mapped) => expect(readMapped(value, path)).toEqual(mapped))
