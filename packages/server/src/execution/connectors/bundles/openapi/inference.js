// Calls the operations of a service as `operations.json` describes them. The server generates that file from an OpenAPI
// document; this code is the same for every service. It sends requests to the hosts of the document only.

import { randomUUID } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { guardedFetch } from '@millrace/app'

const operations = JSON.parse(await readFile(new URL('./operations.json', import.meta.url), 'utf8'))

const timeoutMs = 120_000
const maxBytes = 100_000_000
const maxTextBytes = 5_000_000
const maxRedirects = 5

export class App {
  onCancel() {
    this._abort?.abort()
  }
}

for (const [name, operation] of Object.entries(operations))
  Object.defineProperty(App.prototype, name, {
    value(input) {
      this._abort = new AbortController()
      return call(name, operation, input ?? {}, AbortSignal.any([this._abort.signal, AbortSignal.timeout(timeoutMs)]))
    },
  })

async function call(name, operation, input, signal) {
  const { url, headers } = addressed(operation, input)
  const body = await bodyOf(operation.body, input.body, headers)
  authenticate(operation.auth, url, headers)
  try {
    return await answerOf(name, await send(url, { method: operation.method, headers, body, signal }))
  } catch (error) {
    if (error.name === 'TimeoutError') throw new Error(`${url.host} did not answer within ${timeoutMs} ms`)
    throw error
  }
}

// --- Parameters -----------------------------------------------------------------------------------------------------

const textOf = (value) => (value !== null && typeof value === 'object' ? JSON.stringify(value) : String(value))
const isGiven = (value) => value !== undefined && value !== null

function addressed(operation, input) {
  const headers = new Headers({ accept: 'application/json, */*;q=0.5' })
  const given = operation.parameters.filter(({ field }) => isGiven(input[field]))
  const path = operation.path.replace(/\{([^}]+)\}/g, (_, name) => {
    const parameter = given.find((one) => one.in === 'path' && one.name === name)
    if (!parameter) throw new Error(`\`${name}\` is required`)
    return segment(name, input[parameter.field])
  })
  const url = new URL(`${operation.server}${path}`)
  const cookies = []
  for (const { field, name, in: place, explode } of given) {
    const value = input[field]
    if (place === 'query') addQuery(url.searchParams, name, value, explode)
    if (place === 'header') headers.set(name, Array.isArray(value) ? value.map(textOf).join(',') : textOf(value))
    if (place === 'cookie') cookies.push(`${name}=${encodeURIComponent(textOf(value))}`)
  }
  if (cookies.length > 0) headers.set('cookie', cookies.join('; '))
  return { url, headers }
}

// A segment such as `..` would address another operation.
function segment(name, value) {
  const text = Array.isArray(value) ? value.map(textOf).join(',') : textOf(value)
  if (text === '' || text === '.' || text === '..') throw new Error(`\`${name}\` must not be ${JSON.stringify(text)}`)
  return encodeURIComponent(text)
}

function addQuery(query, name, value, explode) {
  if (Array.isArray(value) && explode) for (const one of value) query.append(name, textOf(one))
  else if (Array.isArray(value)) query.append(name, value.map(textOf).join(','))
  else if (typeof value === 'object' && explode)
    for (const [key, one] of Object.entries(value)) query.append(key, textOf(one))
  else query.append(name, textOf(value))
}

// --- Bodies ---------------------------------------------------------------------------------------------------------

const isFile = (value) =>
  value !== null && typeof value === 'object' && typeof value.path === 'string' && 'uri' in value

async function bodyOf(described, value, headers) {
  if (!described || !isGiven(value)) return undefined
  const { type } = described
  if (type.startsWith('multipart/')) return multipart(value)
  headers.set('content-type', type)
  if (isFile(value)) return readFile(value.path)
  if (/\bjson\b/.test(type)) return JSON.stringify(value)
  if (type.startsWith('application/x-www-form-urlencoded') && typeof value === 'object') {
    const form = new URLSearchParams()
    for (const [name, one] of Object.entries(value)) addQuery(form, name, one, true)
    return form.toString()
  }
  return textOf(value)
}

async function multipart(value) {
  const form = new FormData()
  for (const [name, given] of Object.entries(value)) {
    for (const one of Array.isArray(given) ? given : [given]) {
      if (!isFile(one)) form.append(name, textOf(one))
      else form.append(name, new Blob([await readFile(one.path)], { type: one.content_type }), one.filename)
    }
  }
  return form
}

// --- Authentication -------------------------------------------------------------------------------------------------

function authenticate(schemes, url, headers) {
  for (const scheme of schemes) {
    const [value, second] = scheme.env.map((name) => process.env[name])
    if (!value) continue
    if (scheme.kind === 'bearer') headers.set('authorization', `Bearer ${value}`)
    else if (scheme.kind === 'basic')
      headers.set('authorization', `Basic ${Buffer.from(`${value}:${second ?? ''}`).toString('base64')}`)
    else if (scheme.in === 'query') url.searchParams.set(scheme.name, value)
    else if (scheme.in === 'header') headers.set(scheme.name, value)
    else headers.append('cookie', `${scheme.name}=${encodeURIComponent(value)}`)
  }
}

// --- Requests and answers -------------------------------------------------------------------------------------------

// Redirects are followed here, because a service could redirect to a host that the document does not name.
async function send(first, init) {
  let url = first
  for (let hop = 0; hop <= maxRedirects; hop += 1) {
    const response = await guardedFetch(url, { ...init, redirect: 'manual' })
    const location = response.headers.get('location')
    const isRead = init.method === 'GET'
    if (!isRead || location === null || response.status < 300 || response.status >= 400) return response
    const next = new URL(location, url)
    if (next.origin !== url.origin)
      throw new Error(`${url.host} redirects to ${next.host}, which this connector must not call`)
    await response.body?.cancel()
    url = next
  }
  throw new Error(`${first.host} redirects more than ${maxRedirects} times`)
}

async function readBody(response, host) {
  const chunks = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.length
    if (size > maxBytes) throw new Error(`The answer of ${host} is larger than ${maxBytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

const isText = (type) => type === '' || /^text\/|\b(json|xml|javascript|x-www-form-urlencoded|yaml)\b/.test(type)

async function answerOf(name, response) {
  const { status } = response
  const { host } = new URL(response.url)
  const type = response.headers.get('content-type') ?? ''
  const bytes = await readBody(response, host)
  if (status >= 400) {
    const why = isText(type) ? bytes.toString('utf8', 0, 2_000).trim() : ''
    throw new Error(`${host} answered ${status} to ${name}${why === '' ? '' : `: ${why}`}`)
  }
  if (bytes.length === 0) return { status }
  if (!isText(type) || bytes.length > maxTextBytes) return { status, file: await fileOf(bytes, type, response.headers) }
  const text = bytes.toString('utf8')
  return { status, body: /\bjson\b/.test(type) ? parsed(text) : text }
}

const parsed = (text) => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

async function fileOf(bytes, type, headers) {
  const asked = /filename="?([^";]+)"?/.exec(headers.get('content-disposition') ?? '')?.[1] ?? 'answer'
  const filename = asked.replace(/[^\w.-]+/g, '_').replace(/^\.+/, '') || 'answer'
  const path = join(tmpdir(), `${randomUUID()}-${filename}`)
  await writeFile(path, bytes)
  return { path, filename, ...(type === '' ? {} : { content_type: type.split(';')[0] }) }
}
