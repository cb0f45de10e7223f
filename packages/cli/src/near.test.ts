// Guards: a slip of the fingers is recognised, another word is not.
import { expect, test } from 'vitest'
import { nearest } from './near.ts'

const names = ['tasks.run', 'tasks.get', 'tasks.list', 'flows.get', 'millrace/echo']

test.each<[string, string[]]>([
  ['tasks.rnu', ['tasks.run']],
  ['task.list', ['tasks.list']],
  ['tasks.gett', ['tasks.get']],
  ['millrace/ehco', ['millrace/echo']],
  ['secrets.reveal', []],
  ['x', []],
  ['', []],
])('%j may mean %j', (typed, meant) => expect(nearest(typed, names)).toEqual(meant))
