// Fetches a URL into a stream under the address policy. Redirects are followed by hand, each judged anew. Files that the
// server stores are always reachable. The engine's key is never sent: what a task names must be readable without it.

import type { Readable } from 'node:stream'
import { Agent, type Dispatcher, request } from 'undici'
import { TaskFailure } from '../failures.ts'
import type { AddressPolicy } from './address-policy.ts'
import { AddressRefused, guardedAgent } from './guarded-agent.ts'
import { type ServerAddress, storedFile } from './server-address.ts'

const maxRedirects = 5

export type Downloader = {
  open: (url: string, signal?: AbortSignal) => Promise<{ body: Readable; contentType: string; url: URL }>
  close: () => Promise<void>
}

export type DownloaderOptions = { server: ServerAddress; policy: AddressPolicy }

export const makeDownloader = ({ server, policy }: DownloaderOptions): Downloader => {
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
        if (typeof location !== 'string') throw new TaskFailure(`${shown(url)} redirects to nowhere`)
        url = parseUrl(new URL(location, url).href)
        continue
      }
      if (answer.statusCode !== 200) {
        await answer.body.dump()
        throw new TaskFailure(`${shown(url)} answered ${answer.statusCode}`)
      }
      return { body: answer.body, contentType: String(answer.headers['content-type'] ?? ''), url }
    }
    throw new TaskFailure(`${shown(url)} redirects more than ${maxRedirects} times`)
  }

  const fetchOnce = async (url: URL, signal: AbortSignal | undefined): Promise<Dispatcher.ResponseData> => {
    const own = storedFile(url, server)
    try {
      return await request(own ?? url, { dispatcher: own ? trusted : guarded, ...(signal && { signal }) })
    } catch (error) {
      if (signal?.aborted) throw error
      if (error instanceof AddressRefused) throw new TaskFailure(error.message)
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

// Without the query: it may carry a signature.
const shown = (url: URL): string => `${url.origin}${url.pathname}`

const parseUrl = (text: string): URL => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw new TaskFailure('only http and https addresses are fetched')
  }
  return url
}
