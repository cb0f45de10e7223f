// Guarantees: a mistake in the folder of an app ends a deploy before its code is read, packages are installed or a
// request is sent.
import { mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createApi } from '../api/client.ts'
import { serve } from '../testing/http-server.ts'
import { deployFolder } from './deploy.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-deploy-test-'))
  await writeFile(
    join(folder, 'inference.js'),
    `import { writeFileSync } from 'node:fs'
    writeFileSync(${JSON.stringify(join(folder, 'code-was-read'))}, '')
    export class App { run() {} }`,
  )
  await writeFile(
    join(folder, 'package.json'),
    '{"type":"module","dependencies":{"no-such-package-of-millrace":"1.0.0"}}',
  )
})
afterEach(() => rm(folder, { recursive: true }))

const deploy = async (manifest: string) => {
  await writeFile(join(folder, 'inf.yml'), manifest)
  const said: string[] = []
  const server = await serve((_request, response) => response.end('{}'))
  const { requests } = server
  const api = createApi(server.url, null)
  const failure = await deployFolder(api, {
    folder,
    staged: false,
    env: process.env,
    say: (line) => said.push(line),
  }).then(
    () => undefined,
    (error: unknown) => error as { code: string; details: string[] },
  )
  await server.close()
  return { requests, said, failure, wasRead: (await readdir(folder)).includes('code-was-read') }
}
const nothingDone = { requests: [], said: [], wasRead: false }

test.each([
  [`title: ${'x'.repeat(201)}`, ['title: expected at most 200 characters, found 201']],
  ['kernel: python-3.99', [expect.stringContaining('kernel: expected one of')]],
])('%s', async (line, details) => {
  expect(await deploy(`name: a\n${line}\n`)).toMatchObject({
    ...nothingDone,
    failure: { code: 'invalid_manifest', details },
  })
})

test('links to missing files', async () => {
  await symlink('../nowhere.py', join(folder, 'helper.py'))
  expect(await deploy('name: a\nkernel: node-22\n')).toMatchObject({
    ...nothingDone,
    failure: { code: 'dangling_links', details: ['helper.py'] },
  })
})
