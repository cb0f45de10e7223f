// Retries a request that a provider could not accept, after the delay that the provider gave or an increasing one.

import { setTimeout as sleep } from 'node:timers/promises'

const maxTries = 3
const firstWaitMs = 2_000
const maxWaitMs = 60_000

/** The delay that the provider requests, up to a limit. */
const requestedDelayMs = (headers = {}) => {
  const seconds = Number.parseFloat(headers['retry-after'])
  const waits = [
    Number.parseFloat(headers['retry-after-ms']),
    Number.isNaN(seconds) ? Date.parse(headers['retry-after']) - Date.now() : seconds * 1000,
  ]
  return waits.find((ms) => ms >= 0 && ms < maxWaitMs)
}

export const withRetries = async (ask, signal) => {
  for (let tries = 1; ; tries += 1) {
    try {
      return await ask()
    } catch (error) {
      if (error?.isRetryable !== true || tries === maxTries || signal.aborted) throw error
      await sleep(requestedDelayMs(error.responseHeaders) ?? firstWaitMs * 2 ** (tries - 1), undefined, { signal })
    }
  }
}
