// Guarantees: a typing mistake is recognized, an unrelated word is not.
import { expect, test } from 'vitest'
import { closest, closestRefs } from './suggest.ts'

const names = ['tasks.run', 'tasks.get', 'tasks.list', 'flows.get', 'millrace/echo']

test.each<[string, string[]]>([
  ['tasks.rnu', ['tasks.run']],
  ['task.list', ['tasks.list']],
  ['tasks.gett', ['tasks.get']],
  ['millrace/ehco', ['millrace/echo']],
  ['secrets.reveal', []],
  ['x', []],
  ['', []],
])('%j suggests %j', (typed, expected) => expect(closest(typed, names)).toEqual(expected))

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
])('in acme, %j suggests %j', (typed, expected) => expect(closestRefs(typed, refs, 'acme')).toEqual(expected))
