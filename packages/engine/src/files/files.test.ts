// Guarantees: apps see files as files and callers see URLs, and no output can make the engine read a file of the host.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startWorld, type World } from '../testing/world.ts'
import { replaceFileFields } from './file-fields.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

const app = (body: string, head = '') =>
  world.app({
    'inference.js': `import { execFileSync } from 'node:child_process'
      import { linkSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
      ${head}
      const tmp = process.env.MILLRACE_TMP_DIR
      export class App { ${body} }`,
  })

describe('input', () => {
  test('[E39] a URL in a file field becomes a file with a path, downloaded once', async () => {
    const url = world.server.bundle(Buffer.from('four')).repository
    const reading = app(
      "run({ doc, more }) { return { doc, text: readFileSync(doc.path, 'utf8'), more: more.map((f) => f.size), name: doc.filename } }",
      `export const RunInput = { type: 'object', properties: {
        doc: { type: 'string', format: 'file' }, more: { type: 'array', items: { $ref: '#/$defs/F' } } },
        $defs: { F: { type: 'object', format: 'file' } } }`,
    )
    const input = { doc: url, more: [{ uri: url }, url], plain: url }
    const { output } = await world.run(reading, { input }).end
    // An input file that is returned unchanged keeps its URL.
    expect(output).toEqual({ text: 'four', more: [4, 4], name: expect.stringMatching(/\.zip$/), doc: url })
    expect(world.server.requests.filter(({ path }) => path === new URL(url).pathname)).toHaveLength(1)
  })

  test('[E39] a file is downloaded again for another workspace, which may no longer read it', async () => {
    const url = world.server.bundle(Buffer.from('for one team')).repository
    const reading = app(
      'run({ doc }) { return doc.size }',
      "export const RunInput = { properties: { doc: { format: 'file' } } }",
    )
    for (const team_id of ['one', 'one', 'other'])
      expect((await world.run(reading, { input: { doc: url }, team_id }).end).output).toBe(12)
    expect(world.server.requests.filter(({ path }) => path === new URL(url).pathname)).toHaveLength(2)
  })

  test('[E39] a path from the caller is not a file', async () => {
    const reading = app(
      'run({ doc }) { return readFileSync(doc.path) }',
      "export const RunInput = { properties: { doc: { format: 'file' } } }",
    )
    expect((await world.run(reading, { input: { doc: { path: '/etc/passwd' } } }).end).error).toBe(
      'a file of the input is given by its URL (`uri`), not by a path',
    )
  })

  test('[E39] a file that cannot be downloaded fails the task with its URL', async () => {
    const reading = app('run() { return {} }', "export const RunInput = { properties: { doc: { format: 'file' } } }")
    const input = { doc: `${world.server.url}/media/nothing` }
    expect((await world.run(reading, { input }).end).error).toMatch(/\/media\/nothing answered 404$/)
  })
})

describe('output', () => {
  test('[E40] a file in the app’s own folder is stored and replaced by its URL', async () => {
    const writing = app(`run() {
      writeFileSync(tmp + '/a.txt', 'hello')
      writeFileSync(process.env.MILLRACE_DATA_DIR + '/b.json', '{}')
      return { list: [{ path: tmp + '/a.txt' }], named: { path: process.env.MILLRACE_DATA_DIR + '/b.json', filename: 'report.json', content_type: 'x/y' }, kept: 1 }
    }`)
    const task = world.run(writing)
    const { output } = (await task.end) as { output: { list: string[]; named: string; kept: number } }
    expect(output).toEqual({
      list: [expect.stringMatching(/^http.*a\.txt$/)],
      named: expect.stringMatching(/^http.*report\.json$/),
      kept: 1,
    })
    expect(world.server.files.get(String(output.list[0]))).toEqual({
      content: Buffer.from('hello'),
      contentType: 'text/plain',
    })
    expect(world.server.files.get(output.named)).toMatchObject({ contentType: 'x/y' })
    expect(task.types().slice(-2)).toEqual(['task_uploading', 'task_completed'])
  })

  test('[E40] a yielded file is stored too', async () => {
    const task = world.run(
      app(
        "async *run() { writeFileSync(tmp + '/p.png', 'p'); yield { preview: { path: tmp + '/p.png' } }; return { done: true } }",
      ),
    )
    await task.end
    expect(task.outputs()).toEqual([{ preview: expect.stringMatching(/^http.*p\.png$/) }])
  })

  test('[E40] a file in a delta is stored once, for listeners and for the merged output', async () => {
    const task = world.run(
      app(
        "async *run() { writeFileSync(tmp + '/d.png', 'd'); yield new FileDelta(); yield new FileDelta('x') }",
        "class FileDelta { constructor(text) { if (text) this.text = text; else this.picture = { path: process.env.MILLRACE_TMP_DIR + '/d.png' } } }",
      ),
    )
    const picture = expect.stringMatching(/^http.*d\.png$/)
    expect((await task.end).output).toEqual({ picture, text: 'x' })
    expect(task.outputs()).toEqual([{ picture }, { text: 'x' }])
  })

  test('[E40] an object with only a uri becomes that uri', async () => {
    const input = { file: { uri: 'https://example.com/a.png', filename: 'a.png' } }
    expect((await world.run(await world.shippedApp('echo'), { input }).end).output).toEqual({
      file: 'https://example.com/a.png',
    })
  })

  const data: { claim: string; input: object }[] = [
    { claim: 'a path with other members', input: { route: { path: '/users', method: 'GET' } } },
    { claim: 'a uri that is none', input: { thing: { uri: 'isbn:12' } } },
  ]
  test.each(data)('[E40] $claim is unchanged', async ({ input }) => {
    const task = world.run(await world.shippedApp('echo'), { input })
    expect((await task.end).output).toEqual(input)
    expect(task.types()).not.toContain('task_uploading')
  })

  test('[E40] a link that leads out of the app’s folder is not followed', async () => {
    const linking = app(`run() {
      symlinkSync('/etc', tmp + '/etc')
      return { file: { path: tmp + '/etc/hostname' } }
    }`)
    const stored = world.server.files.size
    expect((await world.run(linking).end).error).toBe(
      "the app returned the file hostname, which is behind a link that leads out of the app's folders",
    )
    expect(world.server.files.size).toBe(stored)
  })

  test('[E40] files that are replaced by links after the function has returned are stored as they were', async () => {
    const swapping = app(`run() {
      const paths = Array.from({ length: 20 }, (_, index) => process.env.MILLRACE_DATA_DIR + '/swap' + index)
      for (const path of paths) writeFileSync(path, 'own')
      const swap = () => { for (const path of paths) { rmSync(path); symlinkSync('/etc/passwd', path) } }
      setTimeout(swap, 15)
      return { list: paths.map((path) => ({ path })) }
    }`)
    const { output, error } = await world.run(swapping).end
    if (error !== undefined)
      return expect(error).toMatch(/^the app returned the file swap\d+, which is not a regular file$/)
    const { list } = output as { list: string[] }
    expect(new Set(list.map((url) => world.server.files.get(url)?.content.toString()))).toEqual(new Set(['own']))
  })

  test.each([
    ['a link', "symlinkSync('/etc/passwd', path)"],
    ['a hard link', "writeFileSync(path + '0', ''); linkSync(path + '0', path)"],
    ['a fifo', "execFileSync('mkfifo', [path])"],
  ])('[E40] %s in the place of a file fails the task', async (_name, make) => {
    const making = app(`run() { const path = tmp + '/odd'; ${make}; return { path } }`)
    expect((await world.run(making).end).error).toBe('the app returned the file odd, which is not a regular file')
  })

  test('[E40] a file that does not exist fails the task by name', async () => {
    expect((await world.run(app("run() { return { path: tmp + '/gone.txt' } }")).end).error).toBe(
      'the app returned the file gone.txt, which does not exist',
    )
  })
})

test('file fields are found at any depth', async () => {
  const schema = {
    properties: {
      a: { anyOf: [{ type: 'null' }, { type: 'string', format: 'file' }] },
      b: { additionalProperties: { type: 'array', items: { format: 'file' } } },
      c: { $ref: '#/$defs/Node' },
    },
    $defs: { Node: { properties: { file: { format: 'file' }, next: { $ref: '#/$defs/Node' } } } },
  }
  const value = { a: '1', b: { x: ['2'] }, c: { file: '3', next: { file: '4', other: '5' } }, d: '6' }
  expect(await replaceFileFields(schema, value, async (file) => `<${file}>`)).toEqual({
    a: '<1>',
    b: { x: ['<2>'] },
    c: { file: '<3>', next: { file: '<4>', other: '5' } },
    d: '6',
  })
})
