// Records examples for the API reference from scenarios that ran: `npm run examples` sets the target folder and merges
// them into one file. Without it nothing is written.
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Operation, Route } from '#platform/core/operation.ts'
import type { Example } from '#platform/http/examples.ts'
import type { Answer, CallOptions, World } from './world.ts'

export type ExampleRequest = {
  route: string
  path: Record<string, string>
  query: Record<string, string> | undefined
  body: unknown
}

/** Lists are shortened to two rows. */
const shownItems = 2
const maxTextLength = 400

const shortened = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.slice(0, shownItems).map(shortened)
  if (typeof value === 'string' && value.length > maxTextLength) return `${value.slice(0, maxTextLength)}…`
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, shortened(member)]))
}

/** Removes fields that the server ignores: a scenario may send them on purpose, an example must not. */
export const shownBody = (schema: Operation['body'], body: unknown): unknown => {
  const { properties, additionalProperties } = (schema ?? {}) as { properties?: object; additionalProperties?: unknown }
  if (typeof body !== 'object' || body === null || Array.isArray(body) || !properties || additionalProperties)
    return body
  return Object.fromEntries(
    Object.entries(body).filter(
      ([key, value]) => Object.hasOwn(properties, key) && value !== null && value !== undefined,
    ),
  )
}

const isFirstRoute = ({ routes, list }: Operation, route: string): boolean =>
  route === (list ? routes.find((one) => one.startsWith('POST')) : routes[0]) || route === routes[0]

/** The fields of a form body. */
const fieldsOf = ({ form, multipart }: Operation, body: unknown): unknown => {
  if (typeof body !== 'string') return body
  if (multipart)
    return Object.fromEntries(
      [...body.matchAll(/name="(\w+)".*?\r\n\r\n(.*?)\r\n--/gs)].map(([, name, text]) => [name, text]),
    )
  return form ? Object.fromEntries(new URLSearchParams(body)) : body
}

/** Whole events only. */
const firstEvents = (text: string): string => {
  const events = text.split(/(?<=\n\n)/).filter((event) => event.startsWith('event: '))
  return events.slice(0, shownItems).join('')
}

/** An operation without a response of its own only redirects. */
const isRedirect = ({ reply }: Operation): boolean => (reply as { type?: string }).type === 'null'

const outcomeOf = (operation: Operation, { status, headers, json, text }: Answer) => {
  if (status === 302 && (operation.unsafeGet || isRedirect(operation))) return { location: String(headers.location) }
  if (status !== 200) return null
  if (!operation.stream) return json === undefined ? null : { response: shortened(json) }
  return String(headers['content-type']).startsWith('text/event-stream') ? { events: firstEvents(text) } : null
}

/** The first success of an operation is its example, because tables start with the ordinary case. */
export const recordExample = async (operation: Operation, request: ExampleRequest, answer: Answer): Promise<void> => {
  const folder = process.env.EXAMPLES_FOLDER
  const outcome = folder === undefined ? null : outcomeOf(operation, answer)
  const body = fieldsOf(operation, request.body)
  if (folder === undefined || outcome === null || typeof body === 'string') return
  if (!isFirstRoute(operation, request.route)) return
  const example: Example = {
    ...(Object.keys(request.path).length > 0 ? { path: request.path } : {}),
    ...(request.query === undefined ? {} : { query: request.query }),
    ...(body === undefined ? {} : { body: shortened(shownBody(operation.body, body)) }),
    ...outcome,
  }
  await mkdir(folder, { recursive: true })
  const file = join(folder, `${operation.name}.json`)
  await writeFile(file, JSON.stringify(example, null, 2), { flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
}

/** The parts of a request to this route; null for another route. */
const routeOf = (route: Route, address: string, { body, query }: CallOptions = {}): ExampleRequest | null => {
  const pattern = route.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/:(\w+)/g, '(?<$1>[^/?]+)')
  const [path = '', search] = address.split('?')
  const found = new RegExp(`^${pattern}$`).exec(path)
  const request = search === undefined ? query : Object.fromEntries(new URLSearchParams(search))
  return found && { route, path: { ...found.groups }, query: request, body }
}

/** A world that records its requests, for scenarios that make their own calls. */
export const recordCalls = (world: World) => {
  const calls: { address: string; options: CallOptions | undefined; answer: Answer }[] = []
  return {
    world: {
      ...world,
      call: async (as, address, options) => {
        const answer = await world.call(as, address, options)
        calls.push({ address, options, answer })
        return answer
      },
    } satisfies World,
    /** The request that led to this answer. */
    requestFor: (answer: Answer, operation: Operation): ExampleRequest | null => {
      const call = calls.find((one) => one.answer === answer)
      const parts = call && operation.routes.map((route) => routeOf(route, call.address, call.options))
      return parts?.find((one) => one !== null) ?? null
    },
  }
}
