// Guarantees: a file anywhere in an output, in any form, is uploaded or rejected with an error, and never sent as a
// local path; text that only looks like a path is unchanged. The same in Node and Python, with and without a sandbox.

import { rm } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createLimitWatch } from '../machine/limit-watch.ts'
import { chooseRuntime, findProgram } from '../runtimes/choose.ts'
import { type App, startWorld, type World } from '../testing/world.ts'

const hostEnv = { PATH: process.env.PATH ?? '' }
const hasPython = findProgram('python3', hostEnv) !== undefined
const hasBubblewrap = (() => {
  try {
    chooseRuntime({ setting: 'bubblewrap', limitWatch: createLimitWatch(), readOnly: [], hostEnv })
    return true
  } catch {
    return false
  }
})()

// Writes and returns what the input says, with `{file: path}` as a File.
const node = {
  'inference.js': `import { writeFileSync } from 'node:fs'
    class File { constructor(path) { this.path = path } }
    const built = (value) => Array.isArray(value) ? value.map(built)
      : value && typeof value === 'object' ? 'file' in value ? new File(value.file)
      : Object.fromEntries(Object.entries(value).map(([key, member]) => [key, built(member)])) : value
    export const FieldOutput = { type: 'object', properties: { doc: { type: 'string', format: 'file' } } }
    export class App {
      run({ write = [], value }) { for (const path of write) writeFileSync(path, 'made'); return built(value) }
      field(input) { return this.run(input) }
    }`,
  'code.txt': 'code',
}
const python = {
  'inference.py': `
from millrace import File
FieldOutput = {"type": "object", "properties": {"doc": {"type": "string", "format": "file"}}}
def built(value):
  if isinstance(value, list): return [built(member) for member in value]
  if not isinstance(value, dict): return value
  return File(path=value["file"]) if "file" in value else {key: built(member) for key, member in value.items()}
class App:
  def run(self, input):
    for path in input.get("write", []):
      with open(path, "w") as file: file.write("made")
    return built(input["value"])
  def field(self, input):
    return self.run(input)
`,
  'code.txt': 'code',
}

const shared = `/tmp/millrace-own-files-${process.pid}.txt`
const name = shared.slice('/tmp/'.length)
const stored = expect.stringMatching(/^http.+\.txt$/)
const outside = (file: string) =>
  `the app returned the file ${file}, which is outside its folders; write files to the folder in TMPDIR`
const own = "the output contains code.txt in the app's own folder as a path; return a File to upload it"

type Ending = { output: unknown } | { error: string }
type Case = {
  claim: string
  write?: string[]
  value: unknown
  function?: string
  ends: Ending | { sandbox: Ending; plain: Ending }
}

const cases: Case[] = [
  {
    claim: 'an object with a path in /tmp',
    write: [shared],
    value: { list: [{ f: { path: shared } }, { path: shared, content_type: 'text/x-own', filename: 'named.txt' }] },
    ends: { sandbox: { output: { list: [{ f: stored }, stored] } }, plain: { error: outside(name) } },
  },
  {
    claim: 'a string with a path in /tmp',
    write: [shared],
    value: { f: shared },
    ends: { sandbox: { output: { f: stored } }, plain: { error: outside(name) } },
  },
  { claim: 'a File in /tmp', write: [shared], value: { f: { file: shared } }, ends: { output: { f: stored } } },
  { claim: 'an object with a path of the host', value: { path: '/etc/passwd' }, ends: { error: outside('passwd') } },
  {
    claim: 'an object with a path of the host and a content type',
    value: { a: [{ path: '/etc/passwd', content_type: 'text/plain' }] },
    ends: { error: outside('passwd') },
  },
  {
    claim: 'an object with a path through ..',
    value: { f: { path: '../../../etc/passwd' } },
    ends: { error: outside('passwd') },
  },
  {
    claim: 'a folder',
    value: { f: { path: '/tmp' } },
    ends: {
      sandbox: { error: 'the app returned the file tmp, which is not a regular file' },
      plain: { error: outside('tmp') },
    },
  },
  {
    claim: 'a File that does not exist',
    value: { f: { file: 'gone.txt' } },
    ends: { error: 'the app returned the file gone.txt, which does not exist' },
  },
  {
    claim: 'files created next to the code, by relative paths',
    write: ['made.txt'],
    value: { f: 'made.txt', g: './made.txt', h: { path: 'made.txt' } },
    ends: { output: { f: stored, g: stored, h: stored } },
  },
  { claim: 'a relative path of the code', value: { f: './code.txt' }, ends: { error: own } },
  { claim: 'an object with a path of the code', value: { f: { path: 'code.txt' } }, ends: { error: own } },
  {
    claim: 'words and routes that are not files',
    value: {
      a: 'code.txt',
      b: { path: '$.a.b' },
      c: { path: '/users' },
      d: { path: '/etc', method: 'GET' },
      e: { path: '' },
    },
    ends: {
      output: {
        a: 'code.txt',
        b: { path: '$.a.b' },
        c: { path: '/users' },
        d: { path: '/etc', method: 'GET' },
        e: { path: '' },
      },
    },
  },
  {
    claim: "a caller's path in a file field, without a sandbox",
    value: { doc: '/etc/group' },
    function: 'field',
    ends: { sandbox: { output: { doc: expect.stringMatching(/^http.+group$/) } }, plain: { error: outside('group') } },
  },
]

const endingOf = ({ ends }: Case, runtime: 'sandbox' | 'plain'): Ending => ('plain' in ends ? ends[runtime] : ends)

describe.each([
  { runtime: 'plain' as const, setting: 'process', available: true },
  { runtime: 'sandbox' as const, setting: 'bubblewrap', available: hasBubblewrap },
])('$runtime', ({ runtime, setting, available }) => {
  let world: World
  const apps = new Map<string, App>()
  beforeAll(async () => {
    if (!available) return
    world = await startWorld({ settings: { runtime: setting } })
    apps.set('node', world.app(node)).set('python', world.app(python, 'python-3.11'))
  })
  afterAll(async () => {
    await world?.close()
    await rm(shared, { force: true })
  })

  const hasOutcome = async (one: Case, language: string) => {
    const app = apps.get(language)
    if (!app) throw new Error('no app')
    const { write = [], value } = one
    const task = { input: { write, value }, function: one.function ?? 'run' }
    const before = new Set(world.server.files.keys())
    const { type: _, ...end } = await world.run(app, task).end
    expect(end).toEqual(endingOf(one, runtime))
    const added = [...world.server.files].filter(([url]) => !before.has(url))
    if (write.length > 0) for (const [, { content }] of added) expect(content.toString()).toBe('made')
    if ('error' in endingOf(one, runtime)) expect(added).toEqual([])
  }

  test.skipIf(!available).each(cases)('[E40] Node: $claim', (one) => hasOutcome(one, 'node'))
  test.skipIf(!available || !hasPython).each(cases)('[E40] Python: $claim', (one) => hasOutcome(one, 'python'))
})
