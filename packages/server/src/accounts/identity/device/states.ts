// The life of a device authorization. Pure: what is stored, and what the clock makes of it.
//
//   pending ──approve──▶ approved ──first poll or claim──▶ delivered
//      │                    │
//      ├──deny──▶ denied    ├──five wrong claim codes──▶ expired
//      └──300 s──▶ expired  └──300 s──▶ expired

export type StoredStatus = 'pending' | 'approved' | 'denied' | 'expired' | 'delivered'

export type Stored = { readonly status: StoredStatus; readonly expires_at: string }

/** What the row amounts to now: time ends everything, whether or not the sweep has passed by. */
export const statusAt = ({ status, expires_at }: Stored, now: Date): StoredStatus =>
  Date.parse(expires_at) <= now.getTime() ? 'expired' : status

/** What a poll is told. A credential that was handed over is gone: the caller cannot tell it from a lapsed one. */
export const polledStatus = (stored: Stored, now: Date): 'pending' | 'approved' | 'denied' | 'expired' => {
  const status = statusAt(stored, now)
  return status === 'delivered' ? 'expired' : status
}

/** What a look-up of the short code is told: a denied code is as good as none. */
export const lookedUpStatus = (stored: Stored, now: Date): 'pending' | 'approved' | 'expired' => {
  const status = polledStatus(stored, now)
  return status === 'denied' ? 'expired' : status
}

/** Why a code cannot be approved or denied any more; null when it can. */
export const refuseAnswer = (stored: Stored, now: Date): 'expired' | 'already_processed' | null => {
  const status = statusAt(stored, now)
  if (status === 'pending') return null
  return status === 'expired' ? 'expired' : 'already_processed'
}

// RFC 8628 section 3.5: each `slow_down` lengthens the interval by five seconds.
const slowDownSeconds = 5
/** Past this, a client that once hurried could not ask again within the life of its code. */
const maxIntervalSeconds = 60
/** A client that waits exactly the interval must not be told off for the network's jitter. */
const jitterMs = 500

export type Pace = { readonly tooFast: boolean; readonly intervalSeconds: number }

export const paceOf = (
  { last_polled_at, interval_seconds }: { last_polled_at: string | null; interval_seconds: number },
  now: Date,
): Pace => {
  const sinceMs = last_polled_at === null ? Number.POSITIVE_INFINITY : now.getTime() - Date.parse(last_polled_at)
  if (sinceMs >= interval_seconds * 1000 - jitterMs) return { tooFast: false, intervalSeconds: interval_seconds }
  return { tooFast: true, intervalSeconds: Math.min(interval_seconds + slowDownSeconds, maxIntervalSeconds) }
}
