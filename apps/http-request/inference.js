// Sends one HTTP request. The policy of the engine checks every address, also those of redirects.

import { guardedFetch } from '@millrace/app'

export const RunInput = {
  type: 'object',
  properties: {
    url: { type: 'string', description: 'An http or https URL' },
    method: { type: 'string', enum: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'], default: 'GET' },
    headers: { type: 'object', additionalProperties: { type: 'string' } },
    query: { type: 'object', additionalProperties: { type: ['string', 'number', 'boolean'] } },
    json: { description: 'Sent as a JSON body' },
    body: { type: 'string', description: 'Sent unchanged' },
    timeout_ms: { type: 'integer', minimum: 1, maximum: 300_000, default: 30_000 },
    max_bytes: { type: 'integer', minimum: 1, maximum: 10_000_000, default: 5_000_000 },
    fail_on_error: { type: 'boolean', default: false, description: 'Fail the task when the status is 400 or more' },
  },
  required: ['url'],
}
export const RunOutput = {
  type: 'object',
  properties: {
    status: { type: 'integer' },
    ok: { type: 'boolean' },
    url: { type: 'string', description: 'The URL of the response, after redirects' },
    headers: { type: 'object', additionalProperties: { type: 'string' } },
    text: { type: 'string', description: 'The body as text' },
    json: { description: 'The parsed body, if it is JSON' },
    base64: { type: 'string', description: 'The body, if it is not text' },
  },
  required: ['status', 'ok', 'url', 'headers'],
}

export class App {
  async run(input) {
    this._abort = new AbortController()
    const timeoutMs = input.timeout_ms ?? 30_000
    const signal = AbortSignal.any([this._abort.signal, AbortSignal.timeout(timeoutMs)])
    try {
      return await request(input, signal)
    } catch (error) {
      if (error.name === 'TimeoutError') throw new Error(`No response within ${timeoutMs} ms`)
      throw error
    }
  }

  onCancel() {
    this._abort?.abort()
  }
}

async function request(input, signal) {
  if (!URL.canParse(input.url)) throw new Error('`url` must be an http or https URL')
  const url = new URL(input.url)
  for (const [key, value] of Object.entries(input.query ?? {})) url.searchParams.append(key, String(value))
  const headers = new Headers(input.headers)
  const hasJson = input.json !== undefined
  if (hasJson && !headers.has('content-type')) headers.set('content-type', 'application/json')
  const body = hasJson ? JSON.stringify(input.json) : input.body
  const response = await guardedFetch(url, { method: input.method ?? 'GET', headers, body, signal })
  const bytes = await readBody(response, input.max_bytes ?? 5_000_000)
  if (input.fail_on_error && response.status >= 400) throw new Error(`${url.origin} answered ${response.status}`)
  return {
    status: response.status,
    ok: response.ok,
    url: response.url || url.href,
    headers: Object.fromEntries(response.headers),
    ...describeBody(bytes, response.headers.get('content-type') ?? ''),
  }
}

async function readBody(response, maxBytes) {
  const chunks = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.length
    if (size > maxBytes) throw new Error(`The response is larger than ${maxBytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function describeBody(bytes, contentType) {
  if (bytes.length === 0) return {}
  if (!isText(contentType)) return { base64: bytes.toString('base64') }
  const text = bytes.toString('utf8')
  if (!/\bjson\b/.test(contentType)) return { text }
  try {
    return { text, json: JSON.parse(text) }
  } catch {
    return { text }
  }
}

const isText = (contentType) =>
  contentType === '' || /^text\/|\b(json|xml|javascript|x-www-form-urlencoded|yaml)\b/.test(contentType)
