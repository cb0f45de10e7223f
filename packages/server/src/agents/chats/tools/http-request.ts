// The request that an http tool makes: address, method, headers and body from the tool's settings and the call's arguments.
// Pure; keys are added by whoever sends it.
import type { HttpToolConfig } from '@millrace/contract/agents'
import { fail } from '#platform/core/errors.ts'
import { contextValue, fill, placesIn } from '../loop/template.ts'

export type ToolRequest = { url: string; method: string; headers: Record<string, string>; body: string | null }

const textOf = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))

/** Whether what the model or the chat says could lead the request to another host. */
export const hasVariableHost = (url: string): boolean => /^https?:\/\/[^/?#]*\{\{/i.test(url)

const pathOf = (url: string): string[] => url.replace(/[?#].*/s, '').split('/')

/** However it is written, a URL's reader takes it for "here" or "one up". */
const isDots = (segment: string | undefined): boolean => /^(\.|%2e){1,2}$/i.test(segment ?? '')

/** A value fills a place and leads nowhere else: no encoding keeps two dots from meaning the folder above. */
const refuseDots = (template: string, filled: string): void => {
  const written = pathOf(template)
  if (pathOf(filled).some((segment, index) => isDots(segment) && !isDots(written[index])))
    throw fail('validation_error', 'A part of the path would be . or .., which leads to another address')
}

/** `{{name}}` or `{{args.name}}` is an argument; `{{context.name}}` a variable of the chat. */
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
  const used = new Set(placesIn(config.url).map(argument))
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
  // Not through `searchParams`, which would write what stands there already in another way.
  url.search = [url.search.slice(1), ...pairs].filter((part) => part !== '').join('&')
  return { url: url.href, method, headers, body: null }
}

/** As many bytes of a text as fit together with the note that it was cut, without half a character at the end. */
export const clippedBytes = (text: string, bytes: number): string => {
  const encoded = Buffer.from(text)
  if (encoded.length <= bytes) return text
  const note = `\n[cut at ${bytes} bytes]`
  const kept = encoded.subarray(0, bytes - Buffer.byteLength(note))
  return `${new TextDecoder().decode(kept).replace(/\uFFFD$/, '')}${note}`
}
