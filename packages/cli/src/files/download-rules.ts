// Rules for downloads. Pure. Apps choose the addresses in an output, so no address may receive a credential of ours or
// use another scheme or an unencrypted host.
import { CliFailure } from '../failures.ts'

export const maxRedirects = 5

const loopbackHost = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/

const refuse = (message: string): CliFailure => new CliFailure(message, { code: 'download_refused' })

/** An absolute https address. Plain http is accepted only on this machine or for the API. */
export const allowedUrl = (text: string, apiUrl: string): URL => {
  const url = URL.parse(text)
  if (url === null) throw refuse(`Not an absolute address: ${text}`)
  if (url.protocol === 'https:') return url
  if (url.protocol !== 'http:') throw refuse(`Cannot download from ${url.protocol}; use an https address`)
  if (loopbackHost.test(url.hostname) || url.origin === originOf(apiUrl)) return url
  throw refuse(`Plain http is only accepted on this machine or for the API: ${url.host}`)
}

export const originOf = (url: string): string => new URL(url).origin

const platformHeaders = new Set(['authorization', 'cookie', 'x-team-id'])

export const withoutCredentials = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !platformHeaders.has(name.toLowerCase())))

export type Hop = { readonly url: URL; readonly headers: Readonly<Record<string, string>>; readonly redirects: number }

/** Sends the credential only if the first address belongs to the API. */
export const firstHop = (text: string, apiUrl: string, credentials: Readonly<Record<string, string>>): Hop => {
  const url = allowedUrl(text, apiUrl)
  const headers = url.origin === originOf(apiUrl) ? { ...credentials } : withoutCredentials(credentials)
  return { url, headers, redirects: 0 }
}

/** After a change of origin, removed headers are never added again, even for the API. */
export const nextHop = (hop: Hop, location: string, apiUrl: string): Hop => {
  if (hop.redirects >= maxRedirects) throw refuse(`More than ${maxRedirects} redirects`)
  const target = URL.parse(location, hop.url.href)
  if (target === null) throw refuse('A redirect has no valid address')
  const url = allowedUrl(target.href, apiUrl)
  const headers = url.origin === hop.url.origin ? hop.headers : withoutCredentials(hop.headers)
  return { url, headers, redirects: hop.redirects + 1 }
}
