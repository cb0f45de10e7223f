// Where a download may go and what it may carry. Pure. An output names addresses that an app chose: none of them may
// see a credential of ours, and none may lead to a scheme or a host in the clear that we would not ask ourselves.
import { CliFailure } from '../failures.ts'

export const redirectsMax = 5

const loopbackHost = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/

const refuse = (message: string): CliFailure => new CliFailure(message, { code: 'download_refused' })

/** An absolute https address; plain http only on this machine or at the API itself. */
export const allowedUrl = (text: string, apiUrl: string): URL => {
  const url = URL.parse(text)
  if (url === null) throw refuse(`Not a whole address: ${text}`)
  if (url.protocol === 'https:') return url
  if (url.protocol !== 'http:') throw refuse(`Only https addresses are downloaded, not ${url.protocol}`)
  if (loopbackHost.test(url.hostname) || url.origin === originOf(apiUrl)) return url
  throw refuse(`Plain http is only allowed on this machine or at the API: ${url.host}`)
}

export const originOf = (url: string): string => new URL(url).origin

const platformHeaders = new Set(['authorization', 'cookie', 'x-team-id'])

export const withoutCredentials = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !platformHeaders.has(name.toLowerCase())))

export type Hop = { readonly url: URL; readonly headers: Readonly<Record<string, string>>; readonly redirects: number }

/** The credential goes along only when the first address is the API's. */
export const firstHop = (text: string, apiUrl: string, credentials: Readonly<Record<string, string>>): Hop => {
  const url = allowedUrl(text, apiUrl)
  const headers = url.origin === originOf(apiUrl) ? { ...credentials } : withoutCredentials(credentials)
  return { url, headers, redirects: 0 }
}

/** Once the origin has changed, nothing that was stripped comes back, not even at home. */
export const nextHop = (hop: Hop, location: string, apiUrl: string): Hop => {
  if (hop.redirects >= redirectsMax) throw refuse(`More than ${redirectsMax} redirects`)
  const target = URL.parse(location, hop.url.href)
  if (target === null) throw refuse('A redirect leads to no address')
  const url = allowedUrl(target.href, apiUrl)
  const headers = url.origin === hop.url.origin ? hop.headers : withoutCredentials(hop.headers)
  return { url, headers, redirects: hop.redirects + 1 }
}
