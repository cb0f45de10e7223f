// Schemas of device sign-in: the platform's own operations and the OAuth ones (RFC 8628, 7009, 8414).
import Type, { type Static } from 'typebox'
import { PathText, StringEnum, Timestamp } from './common.ts'
import { allScopes } from './scopes.ts'

export const deviceCodeGrant = 'urn:ietf:params:oauth:grant-type:device_code'

/** Seconds until a sign-in request expires, and between polls. */
export const deviceLifeSeconds = 300
export const pollIntervalSeconds = 3

export const StartDevice = Type.Object({
  token_kind: Type.Optional(StringEnum(['session', 'api_key'], { description: 'Default: `api_key`' })),
  code_challenge: Type.Optional(
    Type.String({ pattern: '^[A-Za-z0-9_-]{43}$', description: 'SHA-256 of a code verifier, base64url (RFC 7636)' }),
  ),
  code_challenge_method: Type.Optional(StringEnum(['S256'])),
  scopes: Type.Optional(
    Type.Array(StringEnum(allScopes), {
      minItems: 1,
      maxItems: 200,
      description: 'The scopes that the device needs: the approval page shows exactly these',
    }),
  ),
  team_id: Type.Optional(
    Type.String({ maxLength: 64, description: 'The workspace that the approval page preselects for its members' }),
  ),
})
export type StartDevice = Static<typeof StartDevice>

export const DeviceAuthorization = Type.Object({
  user_code: Type.String({ description: 'Shown to the person: XXXX-XXXX' }),
  device_code: Type.String({ description: 'Secret; for polling only' }),
  approve_url: Type.String(),
  poll_url: Type.String(),
  expires_in: Type.Integer(),
  interval: Type.Integer(),
})

export const DeviceCodePath = Type.Object({ device_code: PathText })

const credentialFields = {
  session_token: Type.Optional(Type.String()),
  api_key: Type.Optional(Type.String()),
  team_id: Type.Optional(Type.String()),
}

export const DevicePoll = Type.Object({
  status: StringEnum(['pending', 'approved', 'denied', 'expired']),
  ...credentialFields,
})
export type DevicePoll = Static<typeof DevicePoll>

export const UserCodePath = Type.Object({ code: PathText })

export const UserCodeState = Type.Object({
  user_code: Type.String(),
  valid: Type.Boolean(),
  status: StringEnum(['pending', 'approved', 'expired']),
  expires_at: Type.Optional(Timestamp),
})

export const ApproveDevice = Type.Object({
  code: Type.String(),
  team_id: Type.Optional(Type.String({ maxLength: 64 })),
  scopes: Type.Optional(
    Type.Array(Type.String({ maxLength: 64 }), { minItems: 1, maxItems: 200, description: 'Default: full access' }),
  ),
  expires_in: Type.Optional(Type.Integer({ minimum: 1, description: 'Seconds; default 30 days, capped at one year' })),
})
export type ApproveDevice = Static<typeof ApproveDevice>

export const DenyDevice = Type.Object({ code: Type.String() })

export const DeviceAnswer = Type.Object({
  success: Type.Boolean(),
  message: Type.String(),
  claim_code: Type.Optional(Type.String({ description: 'Six digits to enter on a device that sent a code_challenge' })),
})

export const ClaimDevice = Type.Object({
  code: Type.String({ maxLength: 32 }),
  code_verifier: Type.String({ minLength: 43, maxLength: 128, pattern: '^[A-Za-z0-9._~-]+$' }),
})
export type ClaimDevice = Static<typeof ClaimDevice>

export const DeviceCredential = Type.Object(credentialFields)
export type DeviceCredential = Static<typeof DeviceCredential>

/** Clients also send `client_id`, which is ignored: a device needs no registration. */
export const OauthDeviceRequest = Type.Object({
  scope: Type.Optional(
    Type.String({
      maxLength: 8192,
      description: 'Scopes that the approval page preselects, separated by spaces; unknown ones are ignored',
    }),
  ),
})

export const OauthDeviceAuthorization = Type.Object({
  device_code: Type.String(),
  user_code: Type.String(),
  verification_uri: Type.String(),
  verification_uri_complete: Type.String(),
  expires_in: Type.Integer(),
  interval: Type.Integer(),
})

export const OauthTokenRequest = Type.Object({
  grant_type: Type.String({ description: `authorization_code or ${deviceCodeGrant}` }),
  device_code: Type.Optional(Type.String()),
  code: Type.Optional(Type.String({ maxLength: 512 })),
  client_id: Type.Optional(Type.String({ maxLength: 2048 })),
  redirect_uri: Type.Optional(Type.String({ maxLength: 2048 })),
  code_verifier: Type.Optional(Type.String({ maxLength: 128 })),
})
export type OauthTokenRequest = Static<typeof OauthTokenRequest>

export const OauthToken = Type.Object({
  access_token: Type.String(),
  token_type: Type.Literal('Bearer'),
  team_id: Type.String(),
  expires_in: Type.Integer(),
  scope: Type.Optional(Type.String({ description: 'Default: full access' })),
})
export type OauthToken = Static<typeof OauthToken>

export const OauthRevokeRequest = Type.Object({ token: Type.String({ minLength: 1 }) })

export const OauthMetadata = Type.Object({
  issuer: Type.String(),
  authorization_endpoint: Type.String(),
  registration_endpoint: Type.String(),
  token_endpoint: Type.String(),
  device_authorization_endpoint: Type.String(),
  revocation_endpoint: Type.String(),
  grant_types_supported: Type.Array(Type.String()),
  response_types_supported: Type.Array(Type.String()),
  code_challenge_methods_supported: Type.Array(Type.String()),
  authorization_response_iss_parameter_supported: Type.Boolean(),
  token_endpoint_auth_methods_supported: Type.Array(Type.String()),
  revocation_endpoint_auth_methods_supported: Type.Array(Type.String()),
  scopes_supported: Type.Array(Type.String()),
  service_documentation: Type.String(),
})
