// Builds the request of an HTTP tool: URL, method, headers and body from the tool's settings and the call's arguments.
// Pure; the sender adds keys.
import type { HttpToolConfig } from '@millrace/contract/agents'
import { fail } from '#platform/core/errors.ts'
import { contextValue, fill, placeholdersIn } from '../loop/template.ts'

export type ToolRequest = { url: string; method: string; headers: Record<string, string>; body: string | null }

const textOf = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))

/** True if arguments or variables could change the host of the request. */
export const hasVariableHost = (url: string): boolean => /^https?:\/\/[^/?#]*\{\{/i.test(url)

const pathOf = (url: string): string[] => url.replace(/[?#].*/s, '').split('/')

/** Every encoding of `.` and `..` that URL parsers normalize. */
const isDots = (segment: string | undefined): boolean => /^(\.|%2e){1,2}$/i.test(segment ?? '')

/** A value must stay within its path segment; encoding does not prevent `..` from being resolved. */
const refuseDots = (template: string, filled: string): void => {
  const written = pathOf(template)
  if (pathOf(filled).some((segment, index) => isDots(segment) && !isDots(written[index])))
    throw fail('validation_error', 'A path segment would be . or .., which leads to another address')
}

/** `{{name}}` or `{{args.name}}` is an argument; `{{context.name}}` is a variable of the chat. */
export const toolRequest = (
  config: HttpToolConfig,
  given: Readonly<Record<string, unknown>>,
  context: Readonly<Record<string, unknown>>,
): ToolRequest => {
  const fromContext = contextValue(context)
  const argument = (place: string): string => place.replace(/^args?\./, '')
  const lookUp = (place: string): string | undefined => {
    const known = fromContext(place)
    if (known !== undefined) return known
    const name = argument(place)
    return Object.hasOwn(given, name) ? textOf(given[name]) : undefined
  }
  const used = new Set(placeholdersIn(config.url).map(argument))
  const filled = fill(config.url, lookUp, encodeURIComponent)
  refuseDots(config.url, filled)
  const url = new URL(filled)
  const method = (config.method || 'POST').toUpperCase()
  const headers = Object.fromEntries(
    Object.entries(config.headers ?? {}).map(([name, value]) => [name, fill(value, lookUp)]),
  )
  if (method !== 'GET' && method !== 'HEAD')
    return {
      url: url.href,
      method,
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(given),
    }
  const rest = Object.entries(given).filter(([name, value]) => !used.has(name) && value !== undefined && value !== null)
  const pairs = rest.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(textOf(value))}`)
  // `searchParams` would re-encode the existing query.
  url.search = [url.search.slice(1), ...pairs].filter((part) => part !== '').join('&')
  return { url: url.href, method, headers, body: null }
}

/** Truncates a text so that it fits with the truncation note, without splitting a character. */
export const clippedBytes = (text: string, bytes: number): string => {
  const encoded = Buffer.from(text)
  if (encoded.length <= bytes) return text
  const note = `\n[truncated at ${bytes} bytes]`
  const head = encoded.subarray(0, bytes - Buffer.byteLength(note))
  return `${new TextDecoder().decode(head).replace(/\uFFFD$/, '')}${note}`
}
