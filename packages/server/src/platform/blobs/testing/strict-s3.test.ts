// Guarantees: the strict S3 test server refuses the same requests as S3.
import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connectS3 } from '../s3-client.ts'
import { type Credentials, type SignedRequest, verifySigV4 } from './sigv4.ts'
import { type StrictS3, startStrictS3 } from './strict-s3.ts'

let server: StrictS3
beforeAll(async () => {
  server = await startStrictS3()
})
afterAll(() => server.stop())

// The example request of the algorithm's documentation with its published signature.
const documented: Credentials = {
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  region: 'us-east-1',
}
const emptyHash = createHash('sha256').update('').digest('hex')
const example: SignedRequest = {
  method: 'GET',
  target: '/test.txt',
  headers: {
    host: 'examplebucket.s3.amazonaws.com',
    range: 'bytes=0-9',
    'x-amz-content-sha256': emptyHash,
    'x-amz-date': '20130524T000000Z',
    authorization:
      'AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,' +
      'SignedHeaders=host;range;x-amz-content-sha256;x-amz-date,' +
      'Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
  },
}
const signedAtMs = Date.UTC(2013, 4, 24)

test('the documented example is accepted', () => {
  expect(verifySigV4(example, documented, signedAtMs)).toEqual({ kind: 'ok', payloadHash: emptyHash })
})

const changes: [claim: string, request: SignedRequest, nowMs: number, code: string][] = [
  ['another method', { ...example, method: 'PUT' }, signedAtMs, 'SignatureDoesNotMatch'],
  ['another path', { ...example, target: '/test2.txt' }, signedAtMs, 'SignatureDoesNotMatch'],
  ['another query', { ...example, target: '/test.txt?a=1' }, signedAtMs, 'SignatureDoesNotMatch'],
  ['a signed header changed', withHeaders({ range: 'bytes=0-10' }), signedAtMs, 'SignatureDoesNotMatch'],
  ['an amz header added unsigned', withHeaders({ 'x-amz-acl': 'public-read' }), signedAtMs, 'AccessDenied'],
  ['no authorization', withHeaders({ authorization: '' }), signedAtMs, 'AccessDenied'],
  ['sixteen minutes later', example, signedAtMs + 16 * 60_000, 'RequestTimeTooSkewed'],
]
test.each(changes)('%s is refused', (_, request, nowMs, code) => {
  expect(verifySigV4(request, documented, nowMs)).toEqual({ kind: 'refused', code })
})

function withHeaders(headers: Record<string, string>): SignedRequest {
  return { ...example, headers: { ...example.headers, ...headers } }
}

test('an unsigned request is refused', async () => {
  const response = await fetch(`${server.settings.endpoint}/${server.settings.bucket}/x`, { method: 'PUT', body: 'x' })
  expect(response.status).toBe(403)
})

test('a body that is not the signed one is refused', async () => {
  const { sdk, client, at } = await connectS3(server.settings)
  client.middlewareStack.add(
    (next) => (args) => {
      Object.assign(args.request as object, { body: 'other' })
      return next(args)
    },
    { step: 'finalizeRequest', priority: 'low' },
  )
  const put = client.send(new sdk.PutObjectCommand({ ...at('team/x'), Body: 'right' }))
  await expect(put).rejects.toMatchObject({ name: 'XAmzContentSHA256Mismatch' })
})

test('a part under 5 MiB is refused unless it is the last', async () => {
  const { sdk, client, at } = await connectS3(server.settings)
  const { UploadId } = await client.send(new sdk.CreateMultipartUploadCommand(at('team/small')))
  const parts = []
  for (const PartNumber of [1, 2]) {
    const part = await client.send(
      new sdk.UploadPartCommand({ ...at('team/small'), UploadId, PartNumber, Body: 'tiny' }),
    )
    parts.push({ PartNumber, ETag: part.ETag })
  }
  const upload = { ...at('team/small'), UploadId, MultipartUpload: { Parts: parts } }
  const complete = client.send(new sdk.CompleteMultipartUploadCommand(upload))
  await expect(complete).rejects.toMatchObject({ name: 'EntityTooSmall' })
})
