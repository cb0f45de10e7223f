// Guarantees: the same endpoints work with S3_ settings, and a server whose bucket is unusable does not start.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { blobSettingsOf, openBlobStore } from '#platform/blobs/open-blob-store.ts'
import { type StrictS3, startStrictS3 } from '#platform/blobs/testing/strict-s3.ts'
import { readSettings } from '#platform/settings/settings.ts'
import { createWorld, type World } from '../../testing/world.ts'
import { dropBytesJob } from './delete-bytes-job.ts'
import { filesFeature } from './feature.ts'
import { sweepAtStart } from './sweep.ts'
import { announce, blobKeys, fetchMedia, put, stored } from './testing/given.ts'

let s3: StrictS3
let world: World
const settingsOf = ({ settings }: StrictS3, bucket = settings.bucket): Record<string, string> => ({
  S3_ENDPOINT: settings.endpoint ?? '',
  S3_BUCKET: bucket,
  S3_REGION: settings.region,
  S3_ACCESS_KEY_ID: settings.accessKeyId,
  S3_SECRET_ACCESS_KEY: settings.secretAccessKey,
})
beforeAll(async () => {
  s3 = await startStrictS3()
  world = await createWorld({ settings: settingsOf(s3) })
})
afterAll(async () => {
  await world.close()
  await s3.stop()
})

it('stores, overwrites, serves ranges and deletes', async () => {
  expect(world.open.platform.blobs.kind).toBe('s3')
  const file = await stored(world, 'owner', '0123456789', { content_type: 'text/html', filename: 'page.html' })
  const part = await fetchMedia(world, file.uri, { range: 'bytes=2-4' })
  expect({ status: part.status, text: part.text }).toEqual({ status: 206, text: '234' })
  expect(part.headers['content-disposition']).toMatch(/^attachment/)
  expect((await put(world, file.upload_url, 'again')).status).toBe(200)
  expect((await fetchMedia(world, file.uri)).text).toBe('again')
  await world.call('owner', `DELETE /files/${file.id}`)
  expect((await fetchMedia(world, file.uri)).code).toBe('not_found')
  await dropBytesJob.handler(world.open.platform)({ blob_keys: await blobKeys(world) })
  expect(await blobKeys(world)).toEqual([])
})

it('an upload that is too large leaves nothing', async () => {
  const file = await announce(world, 'owner', { size: 3 })
  expect((await put(world, file.upload_url, '1234')).code).toBe('upload_too_large')
  expect(await blobKeys(world)).toEqual([])
  expect(s3.pendingUploads()).toBe(0)
})

it('a start keeps bytes that another server may be storing', async () => {
  const { platform } = world.open
  const fresh = await stored(world, 'owner', 'fresh')
  await platform.db.updateTable('files').set({ blob_key: 'files/elsewhere' }).where('id', '=', fresh.id).execute()
  const before = await blobKeys(world)
  await sweepAtStart(platform)
  expect(await blobKeys(world)).toEqual(before)
})

it('a missing bucket stops the start and is named', async () => {
  const blobs = await openBlobStore(blobSettingsOf(readSettings(settingsOf(s3, 'nowhere'))))
  await expect(filesFeature.start?.({ ...world.open.platform, blobs })).rejects.toThrow(/nowhere/)
})

it('an incomplete configuration is distinguished from none', () => {
  expect(() => blobSettingsOf(readSettings({ S3_BUCKET: 'alone' }))).toThrow(/S3_ACCESS_KEY_ID/)
})
