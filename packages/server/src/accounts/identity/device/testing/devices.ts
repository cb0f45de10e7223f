// Device authorizations in a chosen state, created through the API.
import { createHash, randomBytes } from 'node:crypto'
import { expect } from 'vitest'
import type { As, World } from '../../../../testing/world.ts'

export type Device = { device_code: string; user_code: string; verifier: string; claimCode: string }

type Wanted = {
  kind?: 'session' | 'api_key'
  challenge?: boolean
  /** The approver and what they approve; without it the authorization stays pending. */
  approvedBy?: As
  approval?: Record<string, unknown>
  userAgent?: string
}

export const startDevice = async (world: World, wanted: Wanted = {}): Promise<Device> => {
  const verifier = randomBytes(32).toString('base64url')
  const started = await world.call(null, 'POST /device/auth', {
    headers: { 'user-agent': wanted.userAgent ?? 'millrace-cli/1.2.3 (linux)' },
    body: {
      token_kind: wanted.kind ?? 'session',
      ...(wanted.challenge
        ? {
            code_challenge: createHash('sha256').update(verifier).digest('base64url'),
            code_challenge_method: 'S256',
          }
        : {}),
    },
  })
  expect(started.status, started.text).toBe(200)
  const { device_code, user_code } = started.data
  if (wanted.approvedBy === undefined) return { device_code, user_code, verifier, claimCode: '' }
  const approved = await world.call(wanted.approvedBy, 'POST /device/auth/approve', {
    body: { code: user_code, ...wanted.approval },
  })
  expect(approved.status, approved.text).toBe(200)
  return { device_code, user_code, verifier, claimCode: approved.data.claim_code ?? '' }
}

export const pollDevice = (world: World, { device_code }: Device, userAgent = 'millrace-cli/1.2.3 (linux)') =>
  world.call(null, `GET /device/auth/poll/${device_code}`, { headers: { 'user-agent': userAgent } })

const formHeaders = { 'content-type': 'application/x-www-form-urlencoded' }

export const form = (fields: Record<string, string>) => ({
  headers: formHeaders,
  body: new URLSearchParams(fields).toString(),
})
