// Signed links that give read access to a text for some hours, such as the content of a knowledge version. Pure: key
// and time are arguments.
import { createHmac, timingSafeEqual } from 'node:crypto'

const stepSeconds = 6 * 3600

const signature = (key: Uint8Array, address: string, expiresAtSeconds: number): string =>
  createHmac('sha256', key).update(`millrace content v1\n${address}\n${expiresAtSeconds}`).digest('base64url')

/** The link is constant for six hours, so that it can be cached, and valid for six to twelve. `path` has no query. */
export const contentLink = (baseUrl: string, key: Uint8Array, path: string, nowMs: number): string => {
  const expiresAtSeconds = (Math.floor(nowMs / 1000 / stepSeconds) + 2) * stepSeconds
  return `${baseUrl.replace(/\/+$/, '')}${path}?exp=${expiresAtSeconds}&sig=${signature(key, path, expiresAtSeconds)}`
}

/**
 * Whether the link has a valid signature and has not expired. A repeated parameter is an array and therefore invalid.
 */
export const isContentLink = (
  key: Uint8Array,
  path: string,
  presented: { exp?: unknown; sig?: unknown },
  nowMs: number,
): boolean => {
  const { exp, sig } = presented
  if (typeof exp !== 'string' || typeof sig !== 'string' || !/^[1-9]\d{0,14}$/.test(exp)) return false
  const wanted = Buffer.from(signature(key, path, Number(exp)))
  const given = Buffer.from(sig)
  return given.length === wanted.length && timingSafeEqual(given, wanted) && nowMs < Number(exp) * 1000
}
