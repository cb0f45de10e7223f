// Verifies AWS Signature Version 4 for the strict S3 test server. Written from the published description of the
// algorithm, independently of the SDK that signs.
import { createHash, createHmac } from 'node:crypto'

export type SignedRequest = {
  method: string
  /** Path and query exactly as on the request line. */
  target: string
  headers: Readonly<Record<string, string | string[] | undefined>>
}

export type Credentials = { accessKeyId: string; secretAccessKey: string; region: string }

export type SignatureCheck = { kind: 'ok'; payloadHash: string } | { kind: 'refused'; code: string }

const refused = (code: string): SignatureCheck => ({ kind: 'refused', code })
const maxSkewMs = 15 * 60_000

export const verifySigV4 = (request: SignedRequest, credentials: Credentials, nowMs: number): SignatureCheck => {
  const [path = '/', rawQuery = ''] = request.target.split('?', 2)
  const query = rawQuery.split('&').filter(Boolean).map(decodePair)
  const header = (name: string): string => [request.headers[name]].flat().join(',').trim().replace(/ +/g, ' ')
  const param = (name: string): string => query.find(([key]) => key === name)?.[1] ?? ''

  const presigned = param('X-Amz-Algorithm') !== ''
  const claim = presigned
    ? {
        algorithm: param('X-Amz-Algorithm'),
        credential: param('X-Amz-Credential'),
        signedHeaders: param('X-Amz-SignedHeaders'),
        signature: param('X-Amz-Signature'),
        date: param('X-Amz-Date'),
        payloadHash: param('X-Amz-Content-Sha256') || 'UNSIGNED-PAYLOAD',
      }
    : {
        ...parseAuthorization(header('authorization')),
        date: header('x-amz-date'),
        payloadHash: header('x-amz-content-sha256'),
      }

  if (claim.signature === '') return refused('AccessDenied')
  if (claim.algorithm !== 'AWS4-HMAC-SHA256' || claim.payloadHash === '') return refused('InvalidRequest')
  const [accessKeyId, day = '', region = '', service = '', ending] = claim.credential.split('/')
  if (accessKeyId !== credentials.accessKeyId) return refused('InvalidAccessKeyId')
  if (region !== credentials.region || service !== 's3' || ending !== 'aws4_request' || !claim.date.startsWith(day)) {
    return refused('AuthorizationHeaderMalformed')
  }

  const signedAtMs = parseAmzDate(claim.date)
  if (Number.isNaN(signedAtMs)) return refused('AccessDenied')
  if (presigned && nowMs > signedAtMs + Number(param('X-Amz-Expires')) * 1000) return refused('AccessDenied')
  if (!presigned && Math.abs(nowMs - signedAtMs) > maxSkewMs) return refused('RequestTimeTooSkewed')

  const signedHeaders = claim.signedHeaders.split(';')
  const unsigned = Object.keys(request.headers).filter(
    (name) => name.startsWith('x-amz-') && !signedHeaders.includes(name),
  )
  if (!signedHeaders.includes('host') || unsigned.length > 0) return refused('AccessDenied')

  const canonicalQuery = query
    .filter(([key]) => key !== 'X-Amz-Signature')
    .map(([key, value]) => `${encode(key)}=${encode(value)}`)
    .sort()
    .join('&')
  const canonicalRequest = [
    request.method,
    path,
    canonicalQuery,
    ...signedHeaders.map((name) => `${name}:${header(name)}`),
    '',
    claim.signedHeaders,
    claim.payloadHash,
  ].join('\n')
  const scope = [day, region, service, ending].join('/')
  const toSign = [claim.algorithm, claim.date, scope, createHash('sha256').update(canonicalRequest).digest('hex')]
  const signingKey = [day, region, service, 'aws4_request'].reduce<Buffer>(
    (key, text) => hmac(key, text),
    Buffer.from(`AWS4${credentials.secretAccessKey}`),
  )
  const expected = hmac(signingKey, toSign.join('\n')).toString('hex')
  if (expected !== claim.signature) return refused('SignatureDoesNotMatch')
  return { kind: 'ok', payloadHash: claim.payloadHash }
}

const hmac = (key: Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest()

const decodePair = (pair: string): [string, string] => {
  const at = pair.indexOf('=')
  const [key, value] = at === -1 ? [pair, ''] : [pair.slice(0, at), pair.slice(at + 1)]
  return [decodeURIComponent(key), decodeURIComponent(value)]
}

const encode = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)

const parseAuthorization = (value: string) => {
  const [algorithm = '', ...rest] = value.split(' ')
  const fields = new Map(
    rest
      .join('')
      .split(',')
      .map((field): [string, string] => [field.slice(0, field.indexOf('=')), field.slice(field.indexOf('=') + 1)]),
  )
  return {
    algorithm,
    credential: fields.get('Credential') ?? '',
    signedHeaders: fields.get('SignedHeaders') ?? '',
    signature: fields.get('Signature') ?? '',
  }
}

const parseAmzDate = (text: string): number =>
  Date.parse(text.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'))
