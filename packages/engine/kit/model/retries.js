// A request that a provider could not take at the moment is sent again: when the provider says so, else after a while.

import { setTimeout as sleep } from 'node:timers/promises'

const mostTries = 3
const firstWaitMs = 2_000
const longestWaitMs = 60_000

/** What the provider asks for, as long as it is bearable. */
const askedWaitMs = (headers = {}) => {
  const seconds = Number.parseFloat(headers['retry-after'])
  const waits = [
    Number.parseFloat(headers['retry-after-ms']),
    Number.isNaN(seconds) ? Date.parse(headers['retry-after']) - Date.now() : seconds * 1000,
  ]
  return waits.find((ms) => ms >= 0 && ms < longestWaitMs)
}

export const withRetries = async (ask, signal) => {
  for (let tries = 1; ; tries += 1) {
    try {
      return await ask()
    } catch (error) {
      if (error?.isRetryable !== true || tries === mostTries || signal.aborted) throw error
      await sleep(askedWaitMs(error.responseHeaders) ?? firstWaitMs * 2 ** (tries - 1), undefined, { signal })
    }
  }
}
