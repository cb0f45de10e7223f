// Sends requests generated from the OpenAPI document, valid, nearly valid and hostile, as several kinds of callers.
// Findings are: a status of 500 or above, an error without a known code, and a request that blocks the event loop. New
// operations are covered automatically.
import { isErrorCode } from '@millrace/contract/errors'
import { isTooLong, longestPiece, maxPieceMs, ownTime } from './event-loop.ts'
import { callers, createCallers } from './fuzz-callers.ts'
import {
  createRandom,
  heavyValues,
  hostileTexts,
  hostileValues,
  nearValue,
  type Random,
  type Schema,
  validValue,
} from './random-values.ts'
import type { World } from './world.ts'

type Parameter = { name: string; in: 'path' | 'query'; schema?: Schema; content?: Record<string, { schema: Schema }> }
type Item = {
  operationId: string
  parameters: Parameter[]
  requestBody?: { content: Record<string, { schema: Schema }> }
  responses: Record<string, unknown>
  'x-stream'?: boolean
}
type Route = { method: string; path: string; item: Item }

export type Finding = { request: string; as: string; status: number; answer: string }

export type FuzzReport = {
  requests: number
  operations: number
  statuses: Record<string, number>
  /** For signed-in callers: how many requests were answered as if they were not signed in. */
  signedIn: { requests: number; refused: number }
  findings: Finding[]
  /** Requests that blocked the event loop each time, and for how long. */
  blocking: { request: string; as: string; ms: number }[]
}

/** Codes whose status is 5xx. */
const documented = new Set([
  'fire_error',
  'app_maintenance',
  'entitlement_unavailable',
  'user_creation_failed',
  'mcp_unreachable',
])

export const fuzz = async (world: World, requests: number, seed: number): Promise<FuzzReport> => {
  const random = createRandom(seed)
  const { json: document } = await world.call(null, 'GET /openapi.json')
  const routes = routesOf(document as { paths: Record<string, Record<string, Item>> })
  const seen = new Map<string, string[]>()
  const people = createCallers(world)
  const report: FuzzReport = {
    requests: 0,
    operations: routes.length,
    statuses: {},
    signedIn: { requests: 0, refused: 0 },
    findings: [],
    blocking: [],
  }
  while (report.requests < requests) {
    const route = routes[report.requests % routes.length] ?? random.pick(routes)
    // A stream without an id would never end for a caller who may read it.
    const endless = route.item['x-stream'] === true && !route.path.includes('{')
    const caller = random.pick(endless ? callers.filter(({ refused }) => refused) : callers)
    const { as, team } = await people.credential(caller)
    const request = createRequest(route, seen, random)
    const send = () => world.call(as, `${route.method} ${request.url}`, { ...(team ? { team } : {}), ...request })
    const shown = `${route.method} ${request.url.slice(0, 200)} ${JSON.stringify(request.body ?? null).slice(0, 400)}`
    const { result: answer, ms } = await ownTime(send)
    // Code that is only slow on its first run does not count.
    const longestMs = ms > maxPieceMs ? await longestPiece(send) : 0
    if (await isTooLong(longestMs)) report.blocking.push({ request: shown, as: caller.name, ms: longestMs })
    await people.answered(caller, answer.status)
    report.requests += 1
    if (!caller.refused) {
      report.signedIn.requests += 1
      if (answer.status === 401) report.signedIn.refused += 1
    }
    report.statuses[answer.status] = (report.statuses[answer.status] ?? 0) + 1
    remember(seen, route, answer.data)
    if (!isAcceptable(answer))
      report.findings.push({
        request: shown,
        as: caller.name,
        status: answer.status,
        answer: answer.text.slice(0, 400),
      })
  }
  return report
}

const routesOf = (document: { paths: Record<string, Record<string, Item>> }): Route[] =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, item]) => ({ method: method.toUpperCase(), path, item })),
  )

const createRequest = ({ path, item }: Route, seen: ReadonlyMap<string, string[]>, random: Random) => {
  const choice = random.next()
  const isStream = item['x-stream'] === true
  const url = path.replace(/\{(\w+)\}/g, () => encodeURIComponent(pathValue(path, seen, random, isStream)))
  const query = new URLSearchParams()
  for (const parameter of item.parameters.filter(({ in: where }) => where === 'query')) {
    if (random.chance(0.6)) continue
    const json = parameter.content?.['application/json']?.schema
    const value = choice < 0.5 ? validValue(json ?? parameter.schema ?? {}, random) : random.pick(hostileValues)
    query.set(parameter.name, json || typeof value === 'object' ? JSON.stringify(value) : String(value))
  }
  const [contentType, body] = Object.entries(item.requestBody?.content ?? {})[0] ?? []
  const text = query.toString()
  const headers: Record<string, string> = {}
  if (random.chance(0.05)) headers['idempotency-key'] = random.pick(['one', 'two', 'x'.repeat(300)])
  if (random.chance(0.05)) headers['x-team-id'] = random.pick(hostileTexts).replace(/[^\x20-\x7e]/g, '?')
  return {
    url: text === '' ? url : `${url}?${text}`,
    headers: { ...headers, ...(contentType && body ? { 'content-type': contentType } : {}) },
    body: body && bodyOf(body.schema, contentType ?? '', choice, random),
  }
}

const bodyOf = (schema: Schema, contentType: string, choice: number, random: Random): unknown => {
  if (choice > 0.97)
    return random.pick(['{', '[1,', '"text', '{"a":}', '\u0000', 'null', '[]', '"x"', '['.repeat(5000)])
  if (choice > 0.95) return JSON.stringify(heavyBody(schema, random))
  const value =
    choice < 0.45 ? validValue(schema, random) : choice < 0.85 ? nearValue(schema, random) : random.pick(hostileValues)
  if (contentType.includes('form')) return new URLSearchParams(flat(value)).toString()
  // A waiting run would wait for an engine that is not connected.
  if (value !== null && typeof value === 'object' && !Array.isArray(value)) Object.assign(value, withoutWaiting(value))
  return JSON.stringify(value)
}

/** A valid body with one member that is expensive to process. */
const heavyBody = (schema: Schema, random: Random): unknown => {
  const heavy = random.pick(heavyValues)()
  const body = validValue(schema, random)
  if (body === null || typeof body !== 'object' || Array.isArray(body)) return heavy
  const names = Object.keys(schema.properties ?? {})
  return { ...body, ...withoutWaiting(body), ...(names.length > 0 ? { [random.pick(names)]: heavy } : {}) }
}

const withoutWaiting = (value: object): object => ({
  ...('wait' in value ? { wait: false } : {}),
  ...('stream' in value ? { stream: false } : {}),
})

const flat = (value: unknown): Record<string, string> =>
  value !== null && typeof value === 'object'
    ? Object.fromEntries(
        Object.entries(value).map(([name, member]) => [
          name,
          typeof member === 'string' ? member : JSON.stringify(member),
        ]),
      )
    : { value: String(value) }

/** An id from an earlier answer, so that requests reach existing rows; not for streams, which would never end. */
const pathValue = (path: string, seen: ReadonlyMap<string, string[]>, random: Random, isStream: boolean): string => {
  const known = seen.get(path.split('/')[1] ?? '') ?? []
  if (!isStream && known.length > 0 && random.chance(0.6)) return random.pick(known)
  const text = random.chance(0.5)
    ? random.pick(['mill', 'other', 'echo', '0'.repeat(26), 'abcdefgh', 'default'])
    : random.pick(hostileTexts)
  return text === '' ? '-' : text.toWellFormed()
}

const remember = (seen: Map<string, string[]>, { path }: Route, data: unknown): void => {
  const collection = path.split('/')[1] ?? ''
  const items =
    data !== null && typeof data === 'object' && 'items' in data && Array.isArray(data.items) ? data.items : [data]
  const known = seen.get(collection) ?? []
  for (const item of items as unknown[]) {
    if (item === null || typeof item !== 'object') continue
    for (const name of ['id', 'key', 'name', 'slug'] as const) {
      const value = (item as Record<string, unknown>)[name]
      if (typeof value === 'string' && value !== '' && !value.includes('\0')) known.push(value)
    }
  }
  seen.set(collection, known.slice(-200))
}

const isAcceptable = ({ status, code, json, text }: Awaited<ReturnType<World['call']>>): boolean => {
  if (status < 400) return true
  const known = code !== undefined && isErrorCode(code)
  const oauth = status === 400 || status === 401 ? typeof json?.error === 'string' : false
  if (status >= 500) return known && documented.has(code)
  return known || oauth || (status === 404 && text.startsWith('<!doctype html'))
}
