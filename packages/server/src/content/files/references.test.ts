// Guarantees: other features find files by address, only those of their own workspace, and the input of a run contains
// only addresses when it is sent.
import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import type { File } from '@millrace/contract/files'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { setEntitlement } from '#accounts/plans/service.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { createWorld, type World } from '../../testing/world.ts'
import {
  adoptOutputs,
  bundleChecksum,
  deleteFiles,
  fileByUri,
  fileDto,
  filesByUris,
  receiveInputFiles,
  storeBytes,
} from './service.ts'
import { announce, blobKeys, fetchMedia, ownerCtx, show, stored } from './testing/given.ts'

let world: World
let ctx: Ctx
beforeAll(async () => {
  world = await createWorld()
  ctx = ownerCtx(world)
})
afterAll(() => world.close())

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

describe('fileByUri', () => {
  it('finds a stored file, also by an earlier address of the installation', async () => {
    const file = await stored(world, 'owner', 'abc', { content_type: 'text/csv' })
    const known = {
      id: file.id,
      team_id: world.team.id,
      visibility: 'private',
      content_type: 'text/csv',
      size: 3,
      sha256: sha256('abc'),
      ready: true,
    }
    expect(await fileByUri(ctx, file.uri)).toEqual(known)
    expect(await fileByUri(ctx, `http://127.0.0.1:1/media/${file.remote_path}`)).toEqual(known)
  })

  it('reports that the upload is not complete', async () => {
    expect(await fileByUri(ctx, (await announce(world, 'owner')).uri)).toMatchObject({ ready: false, sha256: '' })
  })

  it.each(['', 'x', 'https://example.com/a.png', 'data:,x', 'https://example.com/media/00000000/short.png'])(
    'nothing behind %j',
    async (uri) => {
      expect(await fileByUri(ctx, uri)).toBeUndefined()
    },
  )
})

describe('bundleChecksum', () => {
  it('is the SHA-256 of the uploaded bytes', async () => {
    expect(await bundleChecksum(ctx, (await stored(world, 'owner', 'zip')).uri)).toBe(sha256('zip'))
    expect(await bundleChecksum(ctx, (await stored(world, 'member', 'zip2')).uri)).toBe(sha256('zip2'))
  })

  it('of another workspace only if public', async () => {
    const file = await stored(world, 'stranger', 'theirs')
    await expect(bundleChecksum(ctx, file.uri)).rejects.toMatchObject({ code: 'validation_error' })
    await show(world, 'stranger', file, 'public')
    expect(await bundleChecksum(ctx, file.uri)).toBe(sha256('theirs'))
  })

  it('refuses a missing file', async () => {
    const file = await announce(world, 'owner')
    await expect(bundleChecksum(ctx, file.uri)).rejects.toMatchObject({ code: 'validation_error' })
    const never = file.uri.replace(/[^/]+$/, `${'0'.repeat(24)}.zip`)
    await expect(bundleChecksum(ctx, never)).rejects.toMatchObject({ code: 'validation_error' })
  })

  it('has no checksum for code stored elsewhere', async () => {
    const { remote_path } = await stored(world, 'owner')
    expect(await bundleChecksum(ctx, `https://elsewhere.example/media/${remote_path}`)).toBe('')
  })
})

describe('filesByUris and deleteFiles', () => {
  it('find and delete the files of one workspace by address', async () => {
    const [own, other] = [await stored(world, 'member', 'own'), await stored(world, 'stranger', 'other')]
    const uris = [own.uri, other.uri, own.uri, 'https://example.com/x', 'not a url']
    const found = await filesByUris(ctx, world.team.id, uris)
    expect([...found.keys()]).toEqual([own.uri])
    expect(found.get(own.uri)).toMatchObject({ id: own.id, size: 3, upload_url: '' })
    expect(await deleteFiles(ctx, world.team.id, [own.id, other.id])).toBe(1)
    expect((await fetchMedia(world, own.uri)).code).toBe('not_found')
    expect((await fetchMedia(world, other.uri)).text).toBe('other')
    expect(await deleteFiles(ctx, world.team.id, [])).toBe(0)
    expect(await filesByUris(ctx, world.team.id, [])).toEqual(new Map())
  })

  it('a deletion that is rolled back keeps the bytes', async () => {
    const file = await stored(world, 'owner', 'kept')
    const undone = ctx.tx(async (ctx) => {
      await deleteFiles(ctx, world.team.id, [file.id])
      throw new Error('undo')
    })
    await expect(undone).rejects.toThrow('undo')
    expect((await fetchMedia(world, file.uri)).text).toBe('kept')
  })
})

describe('adoptOutputs', () => {
  const owner = () => ({ teamId: world.otherTeam.id, userId: world.people.stranger.userId })
  const ownerOf = async ({ id }: File) => {
    const { platform } = world.open
    return platform.db.selectFrom('files').select(['team_id', 'visibility']).where('id', '=', id).executeTakeFirst()
  }

  it('assigns an engine’s upload to the workspace of the task, once', async () => {
    const file = await stored(world, 'key:engines:write', 'made', {}, { category: 'outputs' })
    await adoptOutputs(ctx, world.team.id, [file.uri, 'https://example.com/x'], owner())
    expect(await ownerOf(file)).toEqual({ team_id: world.otherTeam.id, visibility: 'team' })
    await adoptOutputs(ctx, world.otherTeam.id, [file.uri], { ...owner(), teamId: world.team.id })
    expect(await ownerOf(file)).toMatchObject({ team_id: world.otherTeam.id })
    expect((await fetchMedia(world, file.uri)).text).toBe('made')
  })

  it('does not take over a person’s file that an output names', async () => {
    const file = await stored(world, 'owner', 'mine', {}, { category: 'outputs' })
    await adoptOutputs(ctx, world.team.id, [file.uri], owner())
    expect(await ownerOf(file)).toMatchObject({ team_id: world.team.id })
  })
})

describe('storeBytes', () => {
  it('creates a file that is ready at once', async () => {
    const row = await storeBytes(ctx, { body: Buffer.from('made here'), filename: 'a.txt', content_type: 'text/plain' })
    const file = fileDto(ctx, row)
    expect(file).toMatchObject({ size: 9, upload_url: '', content_type: 'text/plain', category: 'files' })
    expect((await fetchMedia(world, file.uri)).text).toBe('made here')
  })

  it('from a stream', async () => {
    const row = await storeBytes(ctx, {
      body: Readable.from([Buffer.from('a'), Buffer.from('b')]),
      category: 'artifacts',
    })
    expect(row).toMatchObject({ size: 2, category: 'artifacts', sha256: sha256('ab') })
  })

  it('stores nothing if the plan has no room', async () => {
    await setEntitlement(ctx, world.team.id, 'storage_mb', 1)
    const before = await blobKeys(world)
    const refused = storeBytes(ctx, { body: Buffer.alloc(1_000_001) })
    await expect(refused).rejects.toMatchObject({ code: 'upload_too_large' })
    await setEntitlement(ctx, world.team.id, 'storage_mb', null)
    expect(await blobKeys(world)).toEqual(before)
  })
})

describe('receiveInputFiles', () => {
  const schema = { type: 'object', properties: { image: { type: 'string', format: 'file' } } }
  let own: File
  let pending: File
  beforeEach(async () => {
    own = await stored(world, 'owner', 'x')
    pending = await announce(world, 'owner')
  })

  it('stores a data: URI and replaces it with its address', async () => {
    const input = await receiveInputFiles(ctx, schema, { image: 'data:image/png;base64,aGVsbG8=' })
    const answer = await fetchMedia(world, input.image)
    expect(answer.text).toBe('hello')
    expect(answer.headers['content-type']).toBe('image/png')
    expect(input.image).toMatch(/\.png$/)
  })

  it('an object’s own description takes precedence', async () => {
    const image: unknown = { uri: 'data:,hello', filename: 'notes.md', content_type: 'text/markdown' }
    const input = (await receiveInputFiles(ctx, schema, { image })) as { image: string }
    expect(await fileByUri(ctx, input.image)).toMatchObject({ content_type: 'text/markdown' })
    expect(input.image).toMatch(/\.md$/)
  })

  it.each<[string, () => string]>([
    ['an https URL', () => 'https://example.com/a.png'],
    ['a loopback address, for development', () => 'http://localhost:3000/a.png'],
    ['a stored file', () => own.uri],
  ])('%s stays', async (_claim, uri) => {
    expect(await receiveInputFiles(ctx, schema, { image: { uri: uri(), size: 3 } })).toEqual({ image: uri() })
  })

  it.each<[string, () => string]>([
    ['plain http', () => 'http://example.com/a.png'],
    ['another scheme', () => 'file:///etc/passwd'],
    ['text', () => 'hello'],
    ['a broken data: URI', () => 'data:;base64,***'],
    ['a file without an upload', () => pending.uri],
  ])('%s is refused with the name of its field', async (_claim, uri) => {
    const refused = receiveInputFiles(ctx, schema, { image: uri() })
    await expect(refused).rejects.toMatchObject({
      code: 'validation_error',
      message: expect.stringMatching(/^input\.image/),
    })
  })
})
