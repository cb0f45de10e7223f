// A small in-memory S3 server that is as strict as the real one: signed requests, verified body hashes, atomic
// replacement, incomplete bodies discarded, parts under 5 MiB rejected, multipart uploads listed and aborted, paged
// lists.
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { S3Settings } from '../s3-settings.ts'
import { verifySigV4 } from './sigv4.ts'

type StoredObject = { bytes: Buffer; contentType: string; etag: string; modifiedAt: Date }
type PendingUpload = { key: string; contentType: string; initiatedAt: Date; parts: Map<number, StoredObject> }

export type StrictS3 = {
  settings: S3Settings
  /** Uploads that are neither completed nor aborted. */
  pendingUploads(): number
  /** Requests for which this returns true get a 503, as from an overloaded S3. */
  refuse: ((method: string, target: string) => boolean | Promise<boolean>) | null
  stop(): Promise<void>
}

class S3Error extends Error {
  readonly status: number
  readonly code: string
  constructor(status: number, code: string) {
    super(code)
    this.status = status
    this.code = code
  }
}

const bucket = 'millrace-strict'
const minPartBytes = 5 * 1024 * 1024

export const startStrictS3 = async (options: { pageSize?: number } = {}): Promise<StrictS3> => {
  const pageSize = options.pageSize ?? 1000
  const credentials = { accessKeyId: 'strict-key', secretAccessKey: 'strict/secret+with=signs', region: 'eu-test-1' }
  const objects = new Map<string, StoredObject>()
  const uploads = new Map<string, PendingUpload>()
  let nextUpload = 0

  const handle = async (req: IncomingMessage): Promise<Answer> => {
    const { method = '', url: target = '/' } = req
    if (await running.refuse?.(method, target)) throw new S3Error(503, 'SlowDown')
    const body = await authenticatedBody(req, method, target)
    const url = new URL(target, 'http://s3')
    const [, named, ...rest] = url.pathname.split('/')
    if (named !== bucket) throw new S3Error(404, 'NoSuchBucket')
    const request: Request = {
      method,
      key: decodeURIComponent(rest.join('/')),
      query: url.searchParams,
      body,
      req,
    }
    if (request.key === '') return onBucket(request)
    if (request.query.has('uploads') || request.query.has('uploadId')) return onUpload(request)
    return onObject(request)
  }

  const authenticatedBody = async (req: IncomingMessage, method: string, target: string): Promise<Buffer> => {
    const verdict = verifySigV4({ method, target, headers: req.headers }, credentials, Date.now())
    if (verdict.kind === 'refused') throw new S3Error(403, verdict.code)
    const chunks: Buffer[] = []
    for await (const chunk of req) chunks.push(chunk)
    const body = Buffer.concat(chunks)
    const checked = /^[0-9a-f]{64}$/.test(verdict.payloadHash)
    if (checked && createHash('sha256').update(body).digest('hex') !== verdict.payloadHash) {
      throw new S3Error(400, 'XAmzContentSHA256Mismatch')
    }
    return body
  }

  const onBucket = ({ method, query }: Request): Answer => {
    if (method === 'HEAD') return answer(200)
    if (query.has('uploads')) {
      const all = [...uploads].map(([id, upload]) =>
        tag('Upload', tag('Key', upload.key), tag('UploadId', id), tag('Initiated', upload.initiatedAt.toISOString())),
      )
      return answer(200, tag('ListMultipartUploadsResult', tag('IsTruncated', 'false'), ...all))
    }
    const prefix = query.get('prefix') ?? ''
    const after = query.get('continuation-token') ?? ''
    const keys = [...objects.keys()].filter((key) => key.startsWith(prefix) && key > after).sort()
    const page = keys.slice(0, pageSize)
    const entries = page.flatMap((key) => {
      const found = objects.get(key)
      return found ? [tag('Contents', tag('Key', key), ...describe(found))] : []
    })
    const truncated = keys.length > page.length
    const next = truncated ? tag('NextContinuationToken', page.at(-1) ?? '') : ''
    return answer(200, tag('ListBucketResult', tag('IsTruncated', String(truncated)), next, ...entries))
  }

  const onUpload = ({ method, key, query, body, req }: Request): Answer => {
    if (query.has('uploads')) {
      nextUpload += 1
      const id = `upload-${nextUpload}`
      uploads.set(id, { key, contentType: typeOf(req), initiatedAt: new Date(), parts: new Map() })
      return answer(200, tag('InitiateMultipartUploadResult', tag('UploadId', id)))
    }
    const id = query.get('uploadId') ?? ''
    const upload = uploads.get(id)
    if (!upload || upload.key !== key) throw new S3Error(404, 'NoSuchUpload')
    if (method === 'DELETE') {
      uploads.delete(id)
      return answer(204)
    }
    if (method === 'GET') {
      const parts = [...upload.parts].map(([number, part]) => tag('Part', tag('PartNumber', number), ...describe(part)))
      return answer(200, tag('ListPartsResult', tag('IsTruncated', 'false'), ...parts))
    }
    if (method === 'PUT') {
      const part = toObject(body, '')
      upload.parts.set(Number(query.get('partNumber')), part)
      return answer(200, '', { etag: part.etag })
    }
    const whole = toObject(assemble(upload, body.toString()), upload.contentType)
    objects.set(key, whole)
    uploads.delete(id)
    return answer(200, tag('CompleteMultipartUploadResult', tag('Key', key), tag('ETag', whole.etag)))
  }

  const onObject = ({ method, key, query, body, req }: Request): Answer => {
    if (method === 'PUT') {
      const stored = toObject(body, typeOf(req))
      objects.set(key, stored)
      return answer(200, '', { etag: stored.etag })
    }
    if (method === 'DELETE') {
      objects.delete(key)
      return answer(204)
    }
    const found = objects.get(key)
    if (!found) throw new S3Error(404, 'NoSuchKey')
    const ifMatch = req.headers['if-match']
    if (ifMatch !== undefined && ifMatch !== found.etag) throw new S3Error(412, 'PreconditionFailed')
    return answerObject(method, found, query, req)
  }

  const running: StrictS3 = {
    refuse: null,
    pendingUploads: () => uploads.size,
    settings: { bucket, ...credentials, forcePathStyle: true },
    stop: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  const server = createServer((req, res) => {
    handle(req)
      .catch((error: unknown) => {
        const { status, code } = error instanceof S3Error ? error : new S3Error(500, 'InternalError')
        return answer(status, tag('Error', tag('Code', code), tag('Message', code)))
      })
      .then((result) => send(res, result))
      .catch((error: unknown) => res.destroy(error instanceof Error ? error : undefined))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  running.settings = { ...running.settings, endpoint: `http://127.0.0.1:${port}` }
  return running
}

type Request = {
  method: string
  key: string
  query: URLSearchParams
  body: Buffer
  req: IncomingMessage
}

const toObject = (bytes: Buffer, contentType: string): StoredObject => ({
  bytes,
  contentType,
  etag: `"${createHash('md5').update(bytes).digest('hex')}"`,
  modifiedAt: new Date(),
})

const typeOf = (req: IncomingMessage): string => req.headers['content-type'] ?? 'binary/octet-stream'

const assemble = (upload: PendingUpload, xml: string): Buffer => {
  const listed = [...xml.matchAll(/<Part>(.*?)<\/Part>/gs)].map(([, part = '']) => ({
    number: Number(/<PartNumber>(\d+)</.exec(part)?.[1]),
    etag: (/<ETag>(.*?)</.exec(part)?.[1] ?? '').replaceAll('&quot;', '"'),
  }))
  if (listed.length === 0) throw new S3Error(400, 'MalformedXML')
  const bytes = listed.map(({ number, etag }, index) => {
    const part = upload.parts.get(number)
    if (!part || part.etag !== etag) throw new S3Error(400, 'InvalidPart')
    if (number <= (listed[index - 1]?.number ?? 0)) throw new S3Error(400, 'InvalidPartOrder')
    if (index < listed.length - 1 && part.bytes.length < minPartBytes) throw new S3Error(400, 'EntityTooSmall')
    return part.bytes
  })
  return Buffer.concat(bytes)
}

const answerObject = (method: string, found: StoredObject, query: URLSearchParams, req: IncomingMessage): Answer => {
  const headers: Record<string, string> = {
    etag: found.etag,
    'last-modified': found.modifiedAt.toUTCString(),
    'content-type': query.get('response-content-type') ?? found.contentType,
  }
  const disposition = query.get('response-content-disposition')
  if (disposition) headers['content-disposition'] = disposition
  const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(req.headers.range ?? '') ?? []
  if (first === undefined) return answer(200, method === 'HEAD' ? found.bytes.length : found.bytes, headers)
  if (Number(first) >= found.bytes.length) throw new S3Error(416, 'InvalidRange')
  const part = found.bytes.subarray(Number(first), Number(last) + 1)
  headers['content-range'] = `bytes ${first}-${Number(first) + part.length - 1}/${found.bytes.length}`
  return answer(206, part, headers)
}

/** A number instead of a body is the content-length of a HEAD. */
type Answer = { status: number; body: string | Buffer | number; headers: Record<string, string> }

const answer = (status: number, body: Answer['body'] = '', headers: Answer['headers'] = {}): Answer => ({
  status,
  body,
  headers,
})

// Writing to a disconnected client has no effect, because its data was discarded.
const send = (res: ServerResponse, { status, body, headers }: Answer): void => {
  const length = typeof body === 'number' ? body : Buffer.byteLength(body)
  const type = typeof body === 'string' && body !== '' ? { 'content-type': 'application/xml' } : {}
  res.writeHead(status, { ...type, ...headers, 'content-length': length })
  res.end(typeof body === 'number' ? undefined : body)
}

const describe = (object: StoredObject): string[] => [
  tag('Size', object.bytes.length),
  tag('ETag', object.etag),
  tag('LastModified', object.modifiedAt.toISOString()),
]

// Children are finished elements; only leaves contain text, and only three characters need escaping.
const tag = (name: string, ...children: (string | number)[]): string => {
  const inner = children.map(String).map((child) => (child.startsWith('<') ? child : escapeXml(child)))
  return `<${name}>${inner.join('')}</${name}>`
}
const escapeXml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
