// Guarantees: a download is complete, has a safe name and replaces no file; servers receive a credential only under the
// rules.
import { mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Api, createApi } from '../api/client.ts'
import { serve, type TestServer } from '../testing/http-server.ts'
import { downloadFile } from './download.ts'

let home: TestServer
let otherServer: TestServer
let api: Api
const newFolder = () => mkdtemp(join(tmpdir(), 'millrace-download-'))

beforeAll(async () => {
  otherServer = await serve((request, response) => {
    if (request.url === '/cut') {
      response.writeHead(200, { 'content-length': '100' })
      response.write('half')
      setTimeout(() => response.destroy(), 20)
      return
    }
    if (request.url === '/loop') return void response.writeHead(302, { location: '/loop' }).end()
    response.writeHead(200, { 'content-disposition': 'attachment; filename="../../evil.txt"' }).end('elsewhere')
  })
  home = await serve((request, response) => {
    if (request.url === '/away') return void response.writeHead(307, { location: `${otherServer.url}/x` }).end()
    if (request.url === '/gone') return void response.writeHead(404).end()
    response.end('home')
  })
  api = createApi(home.url, { kind: 'session', token: 'sess_secret', team_id: 'team-1' })
})
afterAll(async () => {
  await home.close()
  await otherServer.close()
})

it('shows the credential to the API only', async () => {
  const folder = await newFolder()
  expect(await downloadFile(api, `${home.url}/away`, { folder })).toEqual({
    url: `${home.url}/away`,
    path: join(folder, 'evil.txt'),
    size: 9,
  })
  expect(home.requests.at(-1)?.headers).toMatchObject({ authorization: 'Bearer sess_secret', 'x-team-id': 'team-1' })
  expect(otherServer.requests.at(-1)?.headers).not.toHaveProperty('authorization')
  expect(otherServer.requests.at(-1)?.headers).not.toHaveProperty('x-team-id')
})

it('numbers a name that exists and keeps the other file', async () => {
  const folder = await newFolder()
  await writeFile(join(folder, 'a.png'), 'mine')
  const { path } = await downloadFile(api, `${home.url}/a.png`, { folder })
  expect(path).toBe(join(folder, 'a-2.png'))
  expect(await readFile(join(folder, 'a.png'), 'utf8')).toBe('mine')
})

it('rejects a given path that exists', async () => {
  const path = join(await newFolder(), 'a.png')
  await writeFile(path, 'mine')
  await expect(downloadFile(api, `${home.url}/a.png`, { path })).rejects.toThrow(/already exists/)
  expect(await readFile(path, 'utf8')).toBe('mine')
})

it.each(['/cut', '/loop'])('leaves no file behind when %s fails', async (path) => {
  const folder = await newFolder()
  await expect(downloadFile(api, `${otherServer.url}${path}`, { folder })).rejects.toThrow()
  expect(await readdir(folder)).toEqual([])
})

it('shows the message of the server', async () =>
  expect(downloadFile(api, `${home.url}/gone`, { folder: await newFolder() })).rejects.toMatchObject({ status: 404 }))
