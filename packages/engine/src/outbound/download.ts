// Fetches a URL into a stream under the address policy. Redirects are followed here and each target is checked. Files
// that the server stores are always reachable. The engine's key is never sent, so the URLs of a task must be readable
// without it.

import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { Agent, type Dispatcher, request } from 'undici'
import { TaskFailure } from '../failures.ts'
import type { AddressPolicy } from './address-policy.ts'
import { AddressRejected, guardedAgent } from './guarded-agent.ts'
import { type ServerAddress, storedFile } from './server-address.ts'

const maxRedirects = 5
const maxOwnTries = 20
const ownPauseMs = 500
/** Statuses of a proxy whose server is down or still starting. */
const unavailable: ReadonlySet<number> = new Set([502, 503, 504])

/** `filename`: the name from the Content-Disposition header, if any. */
export type Download = { body: Readable; contentType: string; url: URL; filename?: string }

export type Downloader = {
  open: (url: string, signal?: AbortSignal) => Promise<Download>
  close: () => Promise<void>
}

export type DownloaderOptions = { server: ServerAddress; policy: AddressPolicy }

export const createDownloader = ({ server, policy }: DownloaderOptions): Downloader => {
  const timeouts = { headersTimeout: 60_000, bodyTimeout: 120_000 }
  const trusted = new Agent(timeouts)
  const guarded = guardedAgent(policy, timeouts)

  const open: Downloader['open'] = async (address, signal) => {
    let url = parseUrl(address)
    for (let hop = 0; hop <= maxRedirects; hop++) {
      const answer = await fetchOnce(url, signal)
      if (answer.statusCode >= 300 && answer.statusCode < 400) {
        const location = answer.headers.location
        await answer.body.dump()
        if (typeof location !== 'string') throw new TaskFailure(`${shown(url)} redirects without a location`)
        url = parseUrl(new URL(location, url).href)
        continue
      }
      if (answer.statusCode !== 200) {
        await answer.body.dump()
        throw new TaskFailure(`${shown(url)} answered ${answer.statusCode}`)
      }
      const filename = namedIn(String(answer.headers['content-disposition'] ?? ''))
      return {
        body: answer.body,
        contentType: String(answer.headers['content-type'] ?? ''),
        url,
        ...(filename && { filename }),
      }
    }
    throw new TaskFailure(`${shown(url)} redirects more than ${maxRedirects} times`)
  }

  /** A server that stops is replaced by another one, so an interrupted download is retried. */
  const fetchOwn = async (url: string, signal: AbortSignal | undefined): Promise<Dispatcher.ResponseData> => {
    for (let tries = maxOwnTries; ; tries -= 1) {
      try {
        const answer = await request(url, { dispatcher: trusted, ...(signal && { signal }) })
        if (!unavailable.has(answer.statusCode) || tries <= 1) return answer
        await answer.body.dump()
      } catch (error) {
        if (signal?.aborted || tries <= 1) throw error
      }
      await sleep(ownPauseMs, undefined, signal && { signal })
    }
  }

  const fetchOnce = async (url: URL, signal: AbortSignal | undefined): Promise<Dispatcher.ResponseData> => {
    const own = storedFile(url, server)
    try {
      return own ? await fetchOwn(own, signal) : await request(url, { dispatcher: guarded, ...(signal && { signal }) })
    } catch (error) {
      if (signal?.aborted) throw error
      if (error instanceof AddressRejected) throw new TaskFailure(error.message)
      throw new TaskFailure(`${shown(url)} could not be reached: ${error instanceof Error ? error.message : error}`)
    }
  }

  return {
    open,
    close: async () => {
      await Promise.all([trusted.destroy(), guarded.destroy()])
    },
  }
}

/** The name in a Content-Disposition header; the encoded form wins, as RFC 6266 requires. */
export const namedIn = (header: string): string | undefined => {
  const encoded = /filename\*=UTF-8'[^']*'([^;\s]+)/i.exec(header)?.[1]
  if (encoded !== undefined && /^(?:[^%]|%[0-9a-f]{2})*$/i.test(encoded)) {
    try {
      return decodeURIComponent(encoded)
    } catch {
      // Not valid UTF-8: the plain form is used.
    }
  }
  return /filename="((?:[^"\\]|\\.)*)"/i.exec(header)?.[1]?.replaceAll(/\\(.)/g, '$1')
}

// Without the query, which may contain a signature.
const shown = (url: URL): string => `${url.origin}${url.pathname}`

const parseUrl = (text: string): URL => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw new TaskFailure('only http and https URLs are supported')
  }
  return url
}
