// The package `@millrace/app` that the engine provides to Node apps: a fetch that follows the operator's address
// policy, and the mark that distinguishes a delta from an output.

import { ProxyAgent, fetch as undiciFetch } from 'undici'
import { addressPolicy } from '../src/outbound/address-policy.ts'
import { AddressRejected, guardedAgent } from '../src/outbound/guarded-agent.ts'

const maxRedirects = 5
const credentialHeaders = ['authorization', 'cookie', 'proxy-authorization']

const listOf = (text) => (text ?? '').split(',').filter(Boolean)
const policy = addressPolicy(
  listOf(process.env.MILLRACE_ALLOW_PRIVATE_HOSTS),
  listOf(process.env.MILLRACE_OWN_PORTS).map(Number),
)
// In a sandbox without a network, the engine's proxy enforces the same policy and is the only egress.
const proxy = process.env.MILLRACE_PROXY
const dispatcher = proxy ? new ProxyAgent({ uri: proxy, proxyTunnel: true }) : guardedAgent(policy)

// Like fetch, but only to addresses that the engine's operator allows. Redirects are followed here, so that each target
// is checked and credentials are sent only to their original origin.
export const guardedFetch = async (input, init = {}) => {
  let url = new URL(input instanceof Request ? input.url : input)
  let request = { ...init, headers: new Headers(init.headers) }
  for (let hop = 0; hop <= maxRedirects; hop++) {
    if (url.protocol !== 'http:' && url.protocol !== 'https:') throw new Error('only http and https URLs are supported')
    const response = await send(url, { ...request, redirect: 'manual', dispatcher })
    const location = response.headers.get('location')
    if (response.status < 300 || response.status >= 400 || location === null || init.redirect === 'manual')
      return response
    await response.body?.cancel()
    const next = new URL(location, url)
    request = redirected(request, response.status, next.origin !== url.origin)
    url = next
  }
  throw new Error(`${url.origin} redirects more than ${maxRedirects} times`)
}

const send = async (url, init) => {
  try {
    return await undiciFetch(url, { ...init, headers: [...init.headers] })
  } catch (error) {
    if (error.cause instanceof AddressRejected) throw new Error(error.cause.message)
    if (init.signal?.aborted) throw error
    const reason = deepestReason(error)
    if (/\(403\)/.test(reason)) throw new Error(new AddressRejected(url.hostname).message)
    throw new Error(`${url.origin} could not be reached: ${reason}`)
  }
}

const deepestReason = (error) => (error.cause instanceof Error ? deepestReason(error.cause) : error.message)

const redirected = (request, status, otherOrigin) => {
  const headers = new Headers(request.headers)
  if (otherOrigin) for (const name of credentialHeaders) headers.delete(name)
  const method = (request.method ?? 'GET').toUpperCase()
  const becomesGet = status === 303 || ((status === 301 || status === 302) && method === 'POST')
  if (!becomesGet) return { ...request, headers }
  for (const name of ['content-type', 'content-length']) headers.delete(name)
  return { ...request, headers, method: 'GET', body: undefined }
}

// A yielded Delta is sent to listeners as a delta instead of replacing the output.
export class Delta {
  constructor(members) {
    Object.assign(this, members)
  }
}
