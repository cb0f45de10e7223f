// Guarantees: the holder of an upload URL stores exactly what the URL was signed for, a reader with the address gets
// exactly the stored bytes, and neither can do anything else.
import type { File } from '@millrace/contract/files'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { setEntitlement } from '#accounts/plans/service.ts'
import { createWorld, type World } from '../../testing/world.ts'
import { dropBytesJob } from './delete-bytes-job.ts'
import { announce, blobKeys, fetchMedia, local, ownerCtx, put, stored } from './testing/given.ts'

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

/** Runs the jobs that delete unreferenced bytes. */
const runDropJobs = async (): Promise<void> => {
  const { platform, database } = world.open
  const { rows } = await database.pool.query<{ id: string; payload: Record<string, unknown> }>(
    `select j.id, j.payload from graphile_worker._private_jobs j
       join graphile_worker._private_tasks t on t.id = j.task_id where t.identifier = $1`,
    [dropBytesJob.name],
  )
  for (const { payload } of rows) await dropBytesJob.handler(platform)(payload)
}

const recordOf = async (file: File): Promise<File> => (await world.call('owner', `GET /files/${file.id}`)).data

describe('an upload', () => {
  it('answers 200 without a body, then the file is ready', async () => {
    const file = await announce(world, 'owner', { filename: 'a.txt' })
    const before = await fetchMedia(world, file.uri)
    expect(before.code).toBe('not_found')
    const answer = await put(world, file.upload_url, 'hello', { 'content-type': 'text/plain; charset=utf-8' })
    expect({ status: answer.status, text: answer.text }).toEqual({ status: 200, text: '' })
    expect(await recordOf(file)).toMatchObject({ size: 5, content_type: 'text/plain; charset=utf-8', upload_url: '' })
    expect((await fetchMedia(world, file.uri)).text).toBe('hello')
  })

  it.each([
    { claim: 'the creator’s type stays', announced: 'image/png', sent: 'text/plain', kept: 'image/png' },
    { claim: 'the sender’s type fills in', announced: '', sent: 'image/webp', kept: 'image/webp' },
    {
      claim: 'an invalid type becomes application/octet-stream',
      announced: '',
      sent: 'x',
      kept: 'application/octet-stream',
    },
    { claim: 'JSON is stored as bytes', announced: '', sent: 'application/json', kept: 'application/json' },
    {
      claim: 'a form is stored as bytes',
      announced: '',
      sent: 'application/x-www-form-urlencoded',
      kept: 'application/x-www-form-urlencoded',
    },
  ])('$claim', async ({ announced, sent, kept }) => {
    const file = await announce(world, 'owner', { content_type: announced })
    expect((await put(world, file.upload_url, '[1]', { 'content-type': sent })).status).toBe(200)
    expect((await recordOf(file)).content_type).toBe(kept)
    expect((await fetchMedia(world, file.uri)).text).toBe('[1]')
  })

  it('may be empty, and smaller than announced', async () => {
    const file = await announce(world, 'owner', { size: 10 })
    expect((await put(world, file.upload_url, '')).status).toBe(200)
    expect((await recordOf(file)).size).toBe(0)
    const answer = await fetchMedia(world, file.uri, { range: 'bytes=0-' })
    expect({ status: answer.status, text: answer.text }).toEqual({ status: 200, text: '' })
  })

  it('can be repeated until the URL expires, and removes the previous bytes', async () => {
    const file = await announce(world, 'owner')
    await put(world, file.upload_url, 'first')
    const before = await blobKeys(world)
    world.clock.advance(3_599_000)
    expect((await put(world, file.upload_url, 'second!')).status).toBe(200)
    expect((await fetchMedia(world, file.uri)).text).toBe('second!')
    expect((await recordOf(file)).size).toBe(7)
    await runDropJobs()
    const after = await blobKeys(world)
    expect(after).toHaveLength(before.length)
    expect(after).not.toEqual(before)
    world.clock.advance(2000)
    expect((await put(world, file.upload_url, 'third')).code).toBe('upload_expired')
    expect((await fetchMedia(world, file.uri)).text).toBe('second!')
  })

  it('two at once: bytes, size and checksum belong to the same upload', async () => {
    const file = await announce(world, 'owner')
    const texts = Array.from({ length: 8 }, (_, index) => String(index).repeat(1000 + index))
    const answers = await Promise.all(texts.map((text) => put(world, file.upload_url, text)))
    expect(answers.map((answer) => answer.status)).toEqual(texts.map(() => 200))
    const answer = await fetchMedia(world, file.uri)
    expect(texts).toContain(answer.text)
    expect((await recordOf(file)).size).toBe(answer.text.length)
    await runDropJobs()
    const row = await world.open.platform.db
      .selectFrom('files')
      .selectAll()
      .where('id', '=', file.id)
      .executeTakeFirst()
    expect((await blobKeys(world)).filter((key) => key === row?.blob_key)).toHaveLength(1)
  })

  it('two records with one path are separate files', async () => {
    const [a, b] = [
      await stored(world, 'owner', 'one', { path: 'same/place.txt' }),
      await stored(world, 'owner', 'two', { path: 'same/place.txt' }),
    ]
    expect(a.uri).not.toBe(b.uri)
    expect((await fetchMedia(world, a.uri)).text).toBe('one')
    expect((await fetchMedia(world, b.uri)).text).toBe('two')
    expect([(await recordOf(a)).path, (await recordOf(b)).path]).toEqual(['same/place.txt', 'same/place.txt'])
  })
})

const changed = (url: string, change: (parts: URL) => void): string => {
  const parts = new URL(url)
  change(parts)
  return parts.toString()
}

describe('an upload is refused', () => {
  it.each<{ claim: string; change: (url: URL, other: URL) => void }>([
    { claim: 'a changed signature', change: (url) => url.searchParams.set('sig', 'A'.repeat(43)) },
    { claim: 'no signature', change: (url) => url.searchParams.delete('sig') },
    { claim: 'two signatures', change: (url) => url.searchParams.append('sig', 'x') },
    { claim: 'a later expiry', change: (url) => url.searchParams.set('exp', '9999999999') },
    { claim: 'no expiry', change: (url) => url.searchParams.delete('exp') },
    { claim: 'another record’s signature', change: (url, other) => (url.search = other.search) },
    { claim: 'an unknown record', change: (url) => (url.pathname = `/uploads/${'0'.repeat(26)}`) },
  ])('403 forbidden: $claim', async ({ change }) => {
    const [file, other] = [await announce(world, 'owner'), await announce(world, 'owner', { size: 9 })]
    const url = changed(file.upload_url, (parts) => change(parts, new URL(other.upload_url)))
    const answer = await put(world, url, 'x')
    expect({ status: answer.status, code: answer.code }).toEqual({ status: 403, code: 'forbidden' })
    expect(answer.headers['content-type']).toBe('application/problem+json')
    expect((await fetchMedia(world, file.uri)).code).toBe('not_found')
  })

  it('403 upload_expired: an hour later', async () => {
    const file = await announce(world, 'owner')
    world.clock.advance(3_600_000)
    const answer = await put(world, file.upload_url, 'x')
    expect({ status: answer.status, code: answer.code }).toEqual({ status: 403, code: 'upload_expired' })
  })

  it.each<{ claim: string; headers: Record<string, string> }>([
    { claim: 'announced by its length', headers: { 'content-type': 'text/plain' } },
    { claim: 'detected while reading', headers: { 'content-type': 'text/plain', 'transfer-encoding': 'chunked' } },
  ])('413 upload_too_large: more bytes than signed, $claim', async ({ headers }) => {
    const file = await announce(world, 'owner', { size: 4 })
    const keysBefore = await blobKeys(world)
    const answer = await put(world, file.upload_url, '12345', headers)
    expect({ status: answer.status, code: answer.code }).toEqual({ status: 413, code: 'upload_too_large' })
    expect(answer.headers.connection).toBe('close')
    expect((await put(world, file.upload_url, '1234')).status).toBe(200)
    expect(await blobKeys(world)).toHaveLength(keysBefore.length + 1)
  })

  it('a record with a changed size limit voids the URL', async () => {
    const file = await announce(world, 'owner', { size: 4 })
    await world.open.platform.db.updateTable('files').set({ max_bytes: 5 }).where('id', '=', file.id).execute()
    expect((await put(world, file.upload_url, '1234')).code).toBe('forbidden')
  })
})

describe('the storage of the plan', () => {
  const limited = async (limit: number | null) => {
    await world.open.platform.db.deleteFrom('files').execute()
    await setEntitlement(ownerCtx(world), world.team.id, 'storage_mb', limit)
  }
  afterAll(() => limited(null))

  it('413 upload_too_large: a file of unknown size that does not fit', async () => {
    await limited(1)
    const file = await announce(world, 'owner')
    const keysBefore = await blobKeys(world)
    const answer = await put(world, file.upload_url, 'x'.repeat(1_000_001))
    expect({ status: answer.status, code: answer.code }).toEqual({ status: 413, code: 'upload_too_large' })
    expect(await blobKeys(world)).toEqual(keysBefore)
    expect((await put(world, file.upload_url, 'x'.repeat(1_000_000))).status).toBe(200)
  })

  it('overwriting a file counts the new bytes instead of the old', async () => {
    await limited(1)
    const file = await announce(world, 'owner')
    for (const letter of ['a', 'b', 'c'])
      expect((await put(world, file.upload_url, letter.repeat(900_000))).status).toBe(200)
  })

  it('concurrent uploads do not exceed it together', async () => {
    await limited(1)
    const files = await Promise.all(Array.from({ length: 6 }, () => announce(world, 'owner')))
    const answers = await Promise.all(files.map((file) => put(world, file.upload_url, 'x'.repeat(300_000))))
    const statuses = answers.map((answer) => answer.status).sort()
    expect(statuses).toEqual([200, 200, 200, 413, 413, 413])
    const usage = (await world.call('owner', 'GET /entitlements/usage')).data as { resource: string; current: number }[]
    expect(usage.find(({ resource }) => resource === 'storage_mb')?.current).toBeCloseTo(0.9)
  })

  it('deleting frees room', async () => {
    await limited(1)
    const file = await stored(world, 'owner', 'x'.repeat(1_000_000))
    expect((await world.call('owner', 'POST /files', { body: { files: [{ uri: '', size: 1 }] } })).code).toBe(
      'limit_exceeded',
    )
    await world.call('owner', `DELETE /files/${file.id}`)
    expect((await announce(world, 'owner', { size: 1_000_000 })).size).toBe(1_000_000)
  })
})

describe('pages of any origin', () => {
  it('may upload: the preflight names PUT and OPTIONS', async () => {
    const file = await announce(world, 'owner')
    const answer = await world.call(null, `OPTIONS ${local(file.upload_url)}`, {
      headers: {
        origin: 'https://elsewhere.example',
        'access-control-request-method': 'PUT',
        'access-control-request-headers': 'content-type',
      },
    })
    expect(answer.status).toBe(204)
    expect(answer.headers).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'PUT, OPTIONS',
      'access-control-allow-headers': 'Content-Type',
    })
    expect(answer.headers['access-control-allow-credentials']).toBeUndefined()
  })

  it.each([
    { claim: 'an upload that succeeds', sig: '' },
    { claim: 'a refused upload', sig: 'x' },
  ])('and can read the answer of $claim', async ({ sig }) => {
    const file = await announce(world, 'owner')
    const answer = await put(world, `${file.upload_url}${sig}`, 'x', {
      origin: 'https://elsewhere.example',
      'content-type': 'text/plain',
    })
    expect(answer.status).toBe(sig === '' ? 200 : 403)
    expect(answer.headers['access-control-allow-origin']).toBe('*')
  })

  it('credentials are not read', async () => {
    const file = await announce(world, 'owner')
    const answer = await put(world, file.upload_url, 'x', { authorization: 'Bearer nonsense' })
    expect(answer.status).toBe(200)
  })
})

describe('the address of a file', () => {
  it('serves bytes under safe headers', async () => {
    const file = await stored(world, 'owner', 'hello', { filename: 'größe "1".txt' })
    const { status, headers, text } = await fetchMedia(world, file.uri)
    expect({ status, text }).toEqual({ status: 200, text: 'hello' })
    expect(headers).toMatchObject({
      'content-type': 'text/plain',
      'content-length': '5',
      'cache-control': 'private',
      'accept-ranges': 'bytes',
      'x-content-type-options': 'nosniff',
      etag: '"2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"',
    })
    expect(headers['content-disposition']).toContain("filename*=UTF-8''gr%C3%B6%C3%9Fe%20%221%22.txt")
  })

  it.each([
    { filename: 'page.html', type: 'text/html' },
    { filename: 'page.xhtml', type: 'application/xhtml+xml' },
    { filename: 'drawing.svg', type: 'image/svg+xml' },
    { filename: 'page.xml', type: 'text/xml' },
    { filename: 'code.js', type: 'text/javascript' },
    { filename: 'doc.pdf', type: 'application/pdf' },
    { filename: 'odd', type: 'TEXT/HTML; charset=utf-7' },
  ])('never lets $type run in the origin of the server', async ({ filename, type }) => {
    const file = await stored(world, 'owner', '<script>alert(1)</script>', { filename, content_type: type })
    const { headers } = await fetchMedia(world, file.uri)
    expect(headers['content-disposition']).toMatch(/^attachment/)
    expect(headers['content-security-policy']).toBe("sandbox; default-src 'none'")
    expect(headers['x-content-type-options']).toBe('nosniff')
  })

  it('a picture is shown inline, or downloaded on request', async () => {
    const file = await stored(world, 'owner', 'x', { content_type: 'image/png' })
    expect((await fetchMedia(world, file.uri)).headers['content-disposition']).toMatch(/^inline/)
    expect((await fetchMedia(world, `${file.uri}?download`)).headers['content-disposition']).toMatch(/^attachment/)
  })

  it.each([
    { range: 'bytes=0-3', status: 206, text: '0123', contentRange: 'bytes 0-3/10' },
    { range: 'bytes=8-', status: 206, text: '89', contentRange: 'bytes 8-9/10' },
    { range: 'bytes=-3', status: 206, text: '789', contentRange: 'bytes 7-9/10' },
    { range: 'bytes=0-1,4-5', status: 200, text: '0123456789', contentRange: undefined },
    { range: 'bytes=10-', status: 416, text: '', contentRange: 'bytes */10' },
    { range: 'lines=1-2', status: 200, text: '0123456789', contentRange: undefined },
  ])('answers $range with $status', async ({ range, status, text, contentRange }) => {
    const file = await stored(world, 'owner', '0123456789')
    const answer = await fetchMedia(world, file.uri, { range })
    expect({ status: answer.status, text: answer.text, range: answer.headers['content-range'] }).toEqual({
      status,
      text,
      range: contentRange,
    })
  })

  it('a range applies only while the file is unchanged', async () => {
    const file = await stored(world, 'owner', '0123456789')
    const { headers } = await fetchMedia(world, file.uri)
    const again = { range: 'bytes=2-3', 'if-range': String(headers.etag) }
    expect((await fetchMedia(world, file.uri, again)).text).toBe('23')
    await put(world, file.upload_url, 'abcdefghij')
    expect((await fetchMedia(world, file.uri, again)).text).toBe('abcdefghij')
  })

  it('304 if the reader has the current bytes', async () => {
    const file = await stored(world, 'owner', 'kept')
    const { headers } = await fetchMedia(world, file.uri)
    const answer = await fetchMedia(world, file.uri, { 'if-none-match': String(headers.etag) })
    expect({ status: answer.status, text: answer.text }).toEqual({ status: 304, text: '' })
  })

  it('HEAD answers the same headers without bytes', async () => {
    const file = await stored(world, 'owner', 'hello')
    const answer = await fetchMedia(world, file.uri, {}, 'HEAD')
    expect({ status: answer.status, text: answer.text }).toEqual({ status: 200, text: '' })
    expect(answer.headers['content-length']).toBe('5')
    expect(answer.headers['content-type']).toBe('text/plain')
  })

  it.each(['/media/x/y', '/media/..%2f..%2f/etc', '/media/00000000/000000000000000000000000.txt', '/media/a'])(
    '404 for %s',
    async (path) => {
      expect((await world.call(null, `GET ${path}`)).code).toBe('not_found')
    },
  )

  it('reads the new bytes when the file changes during the request', async () => {
    const file = await stored(world, 'owner', 'old')
    const { platform } = world.open
    const read = platform.blobs.read
    // Between finding the record and opening its bytes, an overwrite removes the old bytes.
    platform.blobs.read = async (...args) => {
      platform.blobs.read = read
      await put(world, file.upload_url, 'new')
      await runDropJobs()
      return read(...args)
    }
    expect((await fetchMedia(world, file.uri)).text).toBe('new')
  })
})
