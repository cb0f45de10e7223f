// Guards: a slip of the fingers is recognised, another word is not.
import { expect, test } from 'vitest'
import { nearest, nearestRefs } from './near.ts'

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

const refs = ['millrace/echo', 'millrace/word-count', 'acme/report', 'acme/echo-all'].map((ref) => {
  const [namespace = '', name = ''] = ref.split('/')
  return { namespace, name }
})

test.each<[string, string[]]>([
  ['echo', ['millrace/echo']],
  ['ecko', ['millrace/echo']],
  ['reprot', ['report']],
  ['acme/echo', ['millrace/echo']],
  ['acme/reprot', ['acme/report']],
  ['millrace/word-count', []],
  ['nonsense', []],
])('in acme, %j may mean %j', (typed, expected) => expect(nearestRefs(typed, refs, 'acme')).toEqual(expected))
