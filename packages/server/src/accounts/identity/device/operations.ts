// HTTP operations of device sign-in. The rules are in service.ts and delivery.ts.
import {
  ApproveDevice,
  ClaimDevice,
  DenyDevice,
  DeviceAnswer,
  DeviceAuthorization,
  DeviceCodePath,
  DeviceCredential,
  DevicePoll,
  deviceLifeSeconds,
  pollIntervalSeconds,
  StartDevice,
  UserCodePath,
  UserCodeState,
} from '@millrace/contract/device'
import { operation } from '#platform/core/operation.ts'
import * as delivery from './delivery.ts'
import { oauthOperations } from './oauth-operations.ts'
import * as device from './service.ts'

export const deviceOperations = [
  operation({
    name: 'device.start',
    route: 'POST /device/auth',
    summary: 'Request a sign-in that a person approves in a browser',
    scope: 'public',
    replay: 'never',
    body: StartDevice,
    reply: DeviceAuthorization,
    fails: ['rate_limited'],
    run: async (ctx, { body }, wire) => {
      const { deviceCode, userCode, approveUrl } = await device.start(ctx, body)
      wire.header('cache-control', 'no-store')
      return {
        user_code: userCode,
        device_code: deviceCode,
        approve_url: approveUrl,
        poll_url: `${ctx.settings.APP_URL}/device/auth/poll/${deviceCode}`,
        expires_in: deviceLifeSeconds,
        interval: pollIntervalSeconds,
      }
    },
  }),
  operation({
    name: 'device.poll',
    route: 'GET /device/auth/poll/:device_code',
    summary: 'Check whether the sign-in was approved; the first poll afterwards receives the credential, once',
    scope: 'public',
    unsafeGet: true,
    path: DeviceCodePath,
    reply: DevicePoll,
    fails: ['not_found', 'limit_exceeded', 'feature_not_available'],
    run: (ctx, { path }, wire) => {
      wire.header('cache-control', 'no-store')
      return delivery.poll(ctx, path.device_code)
    },
  }),
  operation({
    name: 'device.look_up',
    route: 'GET /device/auth/code/:code',
    summary: 'Check whether a short code is pending',
    scope: 'public',
    path: UserCodePath,
    reply: UserCodeState,
    fails: ['rate_limited'],
    run: (ctx, { path }) => device.lookUp(ctx, path.code),
  }),
  operation({
    name: 'device.approve',
    route: 'POST /device/auth/approve',
    summary: 'Approve the sign-in of a device',
    scope: 'authenticated',
    browserOnly: true,
    replay: 'never',
    body: ApproveDevice,
    reply: DeviceAnswer,
    fails: [
      'invalid_code',
      'expired',
      'already_processed',
      'rate_limited',
      'forbidden',
      'insufficient_scope',
      'team_role_required',
      'admin_authenticator_required',
      'otp_required',
      'limit_exceeded',
      'feature_not_available',
    ],
    run: async (ctx, { body }, wire) => {
      const { claimCode } = await device.approve(ctx, body)
      wire.header('cache-control', 'no-store')
      return {
        success: true,
        message: 'The device is signed in at its next poll',
        ...(claimCode === null ? {} : { claim_code: claimCode }),
      }
    },
  }),
  operation({
    name: 'device.deny',
    route: 'POST /device/auth/deny',
    summary: 'Deny the sign-in of a device',
    scope: 'authenticated',
    browserOnly: true,
    replay: 'never',
    body: DenyDevice,
    reply: DeviceAnswer,
    fails: ['invalid_code', 'expired', 'already_processed', 'rate_limited', 'forbidden'],
    run: async (ctx, { body }) => {
      await device.deny(ctx, body.code)
      return { success: true, message: 'The sign-in was denied' }
    },
  }),
  operation({
    name: 'device.claim',
    route: 'POST /device/auth/claim',
    summary: 'Exchange the six digits shown after approval, for devices that cannot poll',
    scope: 'public',
    replay: 'never',
    body: ClaimDevice,
    reply: DeviceCredential,
    fails: ['invalid_code', 'expired', 'already_processed', 'rate_limited', 'limit_exceeded', 'feature_not_available'],
    run: async (ctx, { body }, wire) => {
      wire.header('cache-control', 'no-store')
      return delivery.credentialFields(await delivery.claim(ctx, body))
    },
  }),
  ...oauthOperations,
]
