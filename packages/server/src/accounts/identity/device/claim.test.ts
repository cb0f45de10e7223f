// Guarantees: six digits and the verifier of the challenge return the credential once, within five minutes and five
// tries.
import { expect } from 'vitest'
import { scenarios } from '../../../testing/scenarios.ts'
import { type Device, pollDevice, startDevice } from './testing/devices.ts'

const minuteMs = 60_000

scenarios('device.claim', (world) => startDevice(world, { challenge: true, approvedBy: 'browser:owner' }), [
  {
    claim: 'the six digits and the verifier buy the credential, once',
    as: null,
    body: ({ claimCode, verifier }: Device) => ({ code: claimCode, code_verifier: verifier }),
    status: 200,
    audits: ['session.created', 'device.signed_in'],
    check: async ({ data, headers }, device, world) => {
      expect(data).toEqual({ session_token: expect.stringMatching(/^sess_/), team_id: world.team.id })
      expect(headers['cache-control']).toBe('no-store')
      expect((await pollDevice(world, device)).data).toEqual({ status: 'expired' })
      const again = await world.call(null, 'POST /device/auth/claim', {
        body: { code: device.claimCode, code_verifier: device.verifier },
      })
      expect(again.code).toBe('already_processed')
    },
  },
  {
    claim: 'digits typed with a gap',
    as: null,
    body: ({ claimCode, verifier }: Device) => ({
      code: `${claimCode.slice(0, 3)} ${claimCode.slice(3)}`,
      code_verifier: verifier,
    }),
    status: 200,
    audits: ['session.created', 'device.signed_in'],
  },
  {
    claim: 'wrong digits',
    as: null,
    body: ({ claimCode, verifier }: Device) => ({ code: otherDigits(claimCode), code_verifier: verifier }),
    status: 400,
    code: 'invalid_code',
  },
  {
    claim: 'right digits with another verifier',
    as: null,
    body: ({ claimCode }: Device) => ({ code: claimCode, code_verifier: 'v'.repeat(43) }),
    status: 400,
    code: 'invalid_code',
  },
  {
    claim: 'no verifier',
    as: null,
    body: ({ claimCode }: Device) => ({ code: claimCode }),
    status: 400,
    code: 'validation_error',
  },
  {
    claim: 'a verifier that RFC 7636 does not allow',
    as: null,
    body: ({ claimCode }: Device) => ({ code: claimCode, code_verifier: 'short' }),
    status: 400,
    code: 'validation_error',
  },
])

const otherDigits = (digits: string) => String((Number(digits) + 1) % 1_000_000).padStart(6, '0')

scenarios('device.claim', (world) => startDevice(world, { challenge: true }), [
  {
    claim: 'before approval there is nothing to claim',
    as: null,
    body: ({ verifier }: Device) => ({ code: '000000', code_verifier: verifier }),
    status: 400,
    code: 'invalid_code',
  },
])

scenarios(
  'device.claim',
  async (world) => {
    const device = await startDevice(world, { challenge: true, approvedBy: 'browser:owner' })
    world.clock.advance(5 * minuteMs)
    return device
  },
  [
    {
      claim: 'after five minutes',
      as: null,
      body: ({ claimCode, verifier }: Device) => ({ code: claimCode, code_verifier: verifier }),
      status: 410,
      code: 'expired',
    },
  ],
)

scenarios(
  'device.claim',
  async (world) => {
    const device = await startDevice(world, { challenge: true, kind: 'api_key', approvedBy: 'browser:owner' })
    for (let tries = 0; tries < 4; tries++)
      await world.call(null, 'POST /device/auth/claim', {
        body: { code: otherDigits(device.claimCode), code_verifier: device.verifier },
      })
    return device
  },
  [
    {
      claim: 'four wrong tries leave a fifth that is right; the legacy kind gets its key',
      as: null,
      body: ({ claimCode, verifier }: Device) => ({ code: claimCode, code_verifier: verifier }),
      status: 200,
      audits: ['device.signed_in'],
      check: ({ data }) => expect(data.api_key).toMatch(/^mill-/),
    },
    {
      claim: 'the fifth wrong try ends the request, for polls too',
      as: null,
      body: ({ claimCode, verifier }: Device) => ({ code: otherDigits(claimCode), code_verifier: verifier }),
      status: 400,
      code: 'invalid_code',
      check: async (_answer, device, world) => {
        const right = { code: device.claimCode, code_verifier: device.verifier }
        expect((await world.call(null, 'POST /device/auth/claim', { body: right })).code).toBe('expired')
        expect((await pollDevice(world, device)).data).toEqual({ status: 'expired' })
      },
    },
  ],
)

scenarios(
  'device.claim',
  async (world) => {
    const device = await startDevice(world, { challenge: true })
    await world.call('browser:owner', 'POST /device/auth/deny', { body: { code: device.user_code } })
    return device
  },
  [
    {
      claim: 'a refused request',
      as: null,
      body: ({ verifier }: Device) => ({ code: '000000', code_verifier: verifier }),
      status: 409,
      code: 'already_processed',
    },
  ],
)
