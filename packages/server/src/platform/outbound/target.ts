// Parses a user-given URL. Pure: rejects what needs no resolver; addresses are checked when a socket is opened.
import { isHostAllowed } from './addresses.ts'
import { outboundFailure } from './failures.ts'
import { comparableHost, type OutboundPolicy } from './policy.ts'

export const parseTarget = (given: string | URL, policy: OutboundPolicy): URL => {
  const text = String(given)
  if (!URL.canParse(text)) throw outboundFailure('invalid', 'the URL is not valid')
  const url = new URL(text)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw outboundFailure('refused', 'only http and https URLs are allowed')
  }
  if (url.username !== '' || url.password !== '') {
    throw outboundFailure('refused', 'a URL must not carry a user name or password')
  }
  if (!isHostAllowed(url.hostname, policy)) throw refusedHost(url.hostname)
  return url
}

export const refusedHost = (host: string) => outboundFailure('refused', `requests to ${host} are not allowed`)

/** Host without brackets, and the port of the connection. */
export const endpointOf = (url: URL): { host: string; port: number } => ({
  host: comparableHost(url.hostname),
  port: url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port),
})
