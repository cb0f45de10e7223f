// A failed fetch of Node says only "fetch failed". Its message gets the reason, also when the engine's proxy refused the
// connection: the proxy puts its reason into the status line, which fetch does not report.

import { request } from 'node:http'

/** `proxy`: the address of the engine's proxy, set in a sandbox without a network. */
export function explainFailedFetches(proxy) {
  const original = globalThis.fetch
  globalThis.fetch = async function fetch(resource, options) {
    try {
      return await original(resource, options)
    } catch (error) {
      throw isFailedFetch(error) ? await withReason(error, addressOf(resource), proxy) : error
    }
  }
}

const isFailedFetch = (error) => error instanceof TypeError && error.message === 'fetch failed'

const addressOf = (resource) => URL.parse(resource instanceof Request ? resource.url : String(resource))

async function withReason(error, url, proxy) {
  const { code, message = '' } = error.cause ?? {}
  const refused = url && proxy && isRefusedByProxy(error) ? await reasonOfProxy(url, URL.parse(proxy)) : undefined
  const reason = refused ? describe(url, refused, refused) : describe(url, code, message)
  // Apps read the `code` of the cause.
  const cause = refused ? Object.assign(new Error(reason, { cause: error.cause }), codeOf(refused)) : error.cause
  return Object.assign(new TypeError(reason ? `fetch failed: ${reason}` : error.message, { cause }), {
    stack: error.stack?.replace('fetch failed', `fetch failed: ${reason}`),
  })
}

const isRefusedByProxy = (error) =>
  error instanceof Error && (/^Proxy response/.test(error.message) || isRefusedByProxy(error.cause))

const describe = (url, code, otherwise) => {
  const host = url?.hostname ?? 'the host'
  if (['ENOTFOUND', 'EAI_AGAIN', 'EAI_NODATA'].includes(code)) return `unknown host ${host}`
  return otherwise && !otherwise.includes(host) ? `${host}: ${otherwise}` : otherwise
}

const codeOf = (reason) => (/^[A-Z_]+$/.test(reason) ? { code: reason } : {})

function reasonOfProxy(url, proxy) {
  const port = url.port || (url.protocol === 'https:' ? 443 : 80)
  return new Promise((resolve) => {
    request({
      host: proxy?.hostname,
      port: proxy?.port,
      method: 'CONNECT',
      path: `${url.hostname}:${port}`,
      agent: false,
    })
      .on('connect', ({ statusCode, statusMessage }, socket) => {
        socket.destroy()
        resolve(statusCode === 200 ? undefined : statusMessage)
      })
      .on('error', () => resolve(undefined))
      .end()
  })
}
