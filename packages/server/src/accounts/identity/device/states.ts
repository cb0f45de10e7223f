// States of a device authorization. Pure: the stored status and its expiry.
//
//   pending ──approve──▶ approved ──first poll or claim──▶ delivered
//      │ │
//      ├──deny──▶ denied ├──five wrong claim codes──▶ expired
//      └──300 s──▶ expired └──300 s──▶ expired

export type StoredStatus = 'pending' | 'approved' | 'denied' | 'expired' | 'delivered'

export type StoredAuthorization = { readonly status: StoredStatus; readonly expires_at: string }

/** The current state: expiry applies before the cleanup deletes the row. */
export const statusAt = ({ status, expires_at }: StoredAuthorization, now: Date): StoredStatus =>
  Date.parse(expires_at) <= now.getTime() ? 'expired' : status

/** The status in a poll response. A delivered credential is reported like an expired one. */
export const polledStatus = (stored: StoredAuthorization, now: Date): 'pending' | 'approved' | 'denied' | 'expired' => {
  const status = statusAt(stored, now)
  return status === 'delivered' ? 'expired' : status
}

/** The status in a lookup by short code: a denied code is reported as unknown. */
export const lookedUpStatus = (stored: StoredAuthorization, now: Date): 'pending' | 'approved' | 'expired' => {
  const status = polledStatus(stored, now)
  return status === 'denied' ? 'expired' : status
}

/** Why a code can no longer be approved or denied; null when it can. */
export const refuseAnswer = (stored: StoredAuthorization, now: Date): 'expired' | 'already_processed' | null => {
  const status = statusAt(stored, now)
  if (status === 'pending') return null
  return status === 'expired' ? 'expired' : 'already_processed'
}

// RFC 8628 section 3.5: each `slow_down` lengthens the interval by five seconds.
const slowDownSeconds = 5
/** A longer interval could exceed the lifetime of the code. */
const maxIntervalSeconds = 60
/** Tolerates network jitter of clients that wait exactly the interval. */
const jitterMs = 500

export type PollPace = { readonly tooFast: boolean; readonly intervalSeconds: number }

export const paceOf = (
  { last_polled_at, interval_seconds }: { last_polled_at: string | null; interval_seconds: number },
  now: Date,
): PollPace => {
  const sinceMs = last_polled_at === null ? Number.POSITIVE_INFINITY : now.getTime() - Date.parse(last_polled_at)
  if (sinceMs >= interval_seconds * 1000 - jitterMs) return { tooFast: false, intervalSeconds: interval_seconds }
  return { tooFast: true, intervalSeconds: Math.min(interval_seconds + slowDownSeconds, maxIntervalSeconds) }
}
