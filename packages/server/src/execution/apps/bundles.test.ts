// Guarantees: the checksum of a version is computed from the uploaded bytes, and a workspace cannot deploy the upload
// of another.
import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { storeBytes } from '#content/files/service.ts'
import { mediaUrl } from '#platform/blobs/signed-urls.ts'
import { createWorld, type World } from '../../testing/world.ts'
import { ctxAs, deploy, freshName } from './testing/given.ts'

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world?.close())

const bundle = Buffer.from('a bundle')

const upload = async (person: 'owner' | 'stranger'): Promise<string> => {
  const file = await storeBytes(ctxAs(world, person), { body: bundle, filename: 'app.zip', category: 'apps' })
  return mediaUrl(world.open.platform.settings.BASE_URL, file.media_key)
}

const answerTo = (repository: string) =>
  world.call('owner', 'POST /apps', { body: { name: freshName(), version: { repository } } })

it('accepts an upload of the workspace', async () => {
  const app = await deploy(world, 'owner', { version: { repository: await upload('owner') } })
  expect(app.version?.checksum).toBe(createHash('sha256').update(bundle).digest('hex'))
})

it('ignores a checksum in the request', async () => {
  const version = { repository: await upload('owner'), checksum: 'mine' }
  const app = await deploy(world, 'owner', { version })
  expect(app.version?.checksum).toBe(createHash('sha256').update(bundle).digest('hex'))
})

it('stores no checksum for code on another server', async () => {
  const app = await deploy(world, 'owner', { version: { repository: 'https://code.example.com/app.zip' } })
  expect(app.version?.checksum).toBe('')
})

it('refuses an upload of another workspace', async () => {
  expect(await answerTo(await upload('stranger'))).toMatchObject({ status: 400, code: 'validation_error' })
})

it('refuses an unfinished upload', async () => {
  const { data } = await world.call('owner', 'POST /files', { body: { files: [{ uri: '', filename: 'app.zip' }] } })
  expect(await answerTo(data[0].uri)).toMatchObject({ status: 400, code: 'validation_error' })
})

it('refuses an address of this server that does not exist', async () => {
  const nothing = mediaUrl(world.open.platform.settings.BASE_URL, 'abcdefgh/nothing.zip')
  expect(await answerTo(nothing)).toMatchObject({ status: 400, code: 'validation_error' })
})
