// Schemas of OAuth for third-party programs: registration (RFC 7591); the other operations are those of device sign-in.
import Type, { type Static } from 'typebox'

export const authorizationCodeGrant = 'authorization_code'

export const RegisterOauthClient = Type.Object({
  redirect_uris: Type.Array(Type.String({ maxLength: 2048 }), { minItems: 1, maxItems: 20 }),
  client_name: Type.Optional(Type.String({ maxLength: 200 })),
  client_uri: Type.Optional(Type.String({ maxLength: 2048 })),
})
export type RegisterOauthClient = Static<typeof RegisterOauthClient>

export const OauthClient = Type.Object({
  client_id: Type.String(),
  client_id_issued_at: Type.Integer(),
  client_name: Type.String(),
  client_uri: Type.Optional(Type.String()),
  redirect_uris: Type.Array(Type.String()),
  grant_types: Type.Array(Type.String()),
  response_types: Type.Array(Type.String()),
  token_endpoint_auth_method: Type.String(),
})
export type OauthClient = Static<typeof OauthClient>
