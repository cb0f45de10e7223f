// The `rate_limited` failure, always with the same three headers.
import { type Failure, fail } from './errors.ts'

/** `saying` builds the sentence from the seconds until the next permitted call. */
export const rateLimited = (sentence: (seconds: number) => string, nowMs: number, freeAtMs: number): Failure => {
  const seconds = Math.max(1, Math.ceil((freeAtMs - nowMs) / 1000))
  return fail('rate_limited', {
    detail: sentence(seconds),
    headers: {
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': String(Math.ceil(Math.max(freeAtMs, nowMs) / 1000)),
      'retry-after': String(seconds),
    },
  })
}
