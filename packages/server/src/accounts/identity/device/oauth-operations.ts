// OAuth operations: device authorization (RFC 8628), revocation (RFC 7009), metadata (RFC 8414). Responses have no
// envelope, errors follow RFC 6749.
import {
  deviceCodeGrant,
  deviceLifeSeconds,
  OauthDeviceAuthorization,
  OauthDeviceRequest,
  OauthMetadata,
  OauthRevokeRequest,
  OauthToken,
  OauthTokenRequest,
  pollIntervalSeconds,
} from '@millrace/contract/device'
import { authorizationCodeGrant } from '@millrace/contract/oauth-apps'
import { scopeCatalogFor } from '@millrace/contract/scopes'
import Type from 'typebox'
import { operation } from '#platform/core/operation.ts'
import { exchangeCode } from '../oauth-apps/service.ts'
import * as delivery from './delivery.ts'
import { readScopes } from './page-choices.ts'
import { revoke } from './revoke.ts'
import * as device from './service.ts'

/** Scopes available to everyone; restricted scopes are not advertised. */
const advertisedScopes = (): string[] => {
  const { scopes, account_scopes } = scopeCatalogFor({ engineScopes: false, storeScopes: [], staff: false })
  return [...scopes, ...account_scopes].map(({ value }) => value)
}

export const oauthOperations = [
  operation({
    name: 'oauth.device_authorization',
    route: 'POST /oauth/device_authorization',
    summary: 'RFC 8628: request a session token that a person approves in a browser',
    scope: 'public',
    form: true,
    bare: true,
    replay: 'never',
    body: OauthDeviceRequest,
    reply: OauthDeviceAuthorization,
    fails: ['slow_down'],
    run: async (ctx, { body: { scope = '' } }, wire) => {
      const request = { token_kind: 'session', scopes: readScopes(scope), offersPresets: true } as const
      const { deviceCode, userCode, approveUrl } = await device.start(ctx, request)
      wire.header('cache-control', 'no-store')
      return {
        device_code: deviceCode,
        user_code: userCode,
        verification_uri: device.devicePageUrl(ctx.settings.APP_URL),
        verification_uri_complete: approveUrl,
        expires_in: deviceLifeSeconds,
        interval: pollIntervalSeconds,
      }
    },
  }),
  operation({
    name: 'oauth.token',
    route: 'POST /oauth/token',
    summary: 'RFC 6749, 8628: exchange an authorization code or an approved device code for a token',
    scope: 'public',
    form: true,
    bare: true,
    replay: 'never',
    body: OauthTokenRequest,
    reply: OauthToken,
    fails: [
      'authorization_pending',
      'slow_down',
      'access_denied',
      'expired_token',
      'invalid_grant',
      'unsupported_grant_type',
    ],
    run: (ctx, { body }, wire) => {
      wire.header('cache-control', 'no-store')
      wire.header('pragma', 'no-cache')
      return body.grant_type === authorizationCodeGrant ? exchangeCode(ctx, body) : delivery.token(ctx, body)
    },
  }),
  operation({
    name: 'oauth.revoke',
    route: 'POST /oauth/revoke',
    summary: 'RFC 7009: revoke a session token or an API key by presenting it',
    scope: 'public',
    form: true,
    bare: true,
    replay: 'never',
    body: OauthRevokeRequest,
    reply: Type.Object({}),
    run: async (ctx, { body }) => {
      await revoke(ctx, body.token)
      return {}
    },
  }),
  operation({
    name: 'oauth.metadata',
    route: 'GET /.well-known/oauth-authorization-server',
    summary: 'RFC 8414: addresses of the OAuth endpoints',
    scope: 'public',
    bare: true,
    reply: OauthMetadata,
    run: ({ settings: { BASE_URL, APP_URL } }) => ({
      issuer: BASE_URL,
      // The address of the app, because browsers have their session there.
      authorization_endpoint: `${APP_URL}/oauth/authorize`,
      token_endpoint: `${BASE_URL}/oauth/token`,
      registration_endpoint: `${BASE_URL}/oauth/register`,
      device_authorization_endpoint: `${BASE_URL}/oauth/device_authorization`,
      revocation_endpoint: `${BASE_URL}/oauth/revoke`,
      grant_types_supported: [authorizationCodeGrant, deviceCodeGrant],
      response_types_supported: ['code'],
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
      token_endpoint_auth_methods_supported: ['none'],
      revocation_endpoint_auth_methods_supported: ['none'],
      scopes_supported: advertisedScopes(),
      service_documentation: `${BASE_URL}/docs`,
    }),
  }),
]
