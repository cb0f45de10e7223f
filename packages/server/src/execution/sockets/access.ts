// The address of a live socket and the token that opens one of its ends.
import { hkdfSync } from 'node:crypto'
import type { Platform } from '#platform/core/ctx.ts'
import { wireTime } from '#platform/core/times.ts'
import { readToken, type SocketClaims, type SocketRole, signToken, tokenSeconds } from './tokens.ts'

type Parts = Pick<Platform, 'settings' | 'uploadKey' | 'now'>

/** A separate key, derived from the installation's key, so that tokens for other purposes cannot be used here. */
const signingKey = ({ uploadKey }: Parts): Uint8Array =>
  new Uint8Array(hkdfSync('sha256', uploadKey, '', 'millrace live sockets v1', 32))

export const relayOf = ({ settings }: Parts): string => `${settings.BASE_URL.replace(/^http/, 'ws')}/ws/sockets`

const nowSeconds = ({ now }: Parts): number => Math.floor(now().getTime() / 1000)

export const accessFor = (platform: Parts, socket: { id: string; task_id: string }, role: SocketRole) => {
  const iat = nowSeconds(platform)
  const exp = iat + tokenSeconds
  const aud = relayOf(platform)
  return {
    id: socket.id,
    url: `${aud}/${socket.id}`,
    token: signToken(signingKey(platform), { sub: socket.task_id, aud, role, iat, exp }),
    expires_at: wireTime(new Date(exp * 1000)),
  }
}

export const claimsOf = (platform: Parts, token: string): SocketClaims | null =>
  readToken(signingKey(platform), token, { aud: relayOf(platform), nowSeconds: nowSeconds(platform) })
