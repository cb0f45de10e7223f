// Schemas of auth providers: the ways to sign in to other services, and hooks for services that deviate from the
// standard.
import Type, { type Static } from 'typebox'
import { baseFields, JsonObject, permissionFields, StringEnum } from './common.ts'
import type { ApiKeyMethod, HttpMethod, OAuth2Method } from './providers.ts'

/** A sign-in method as stored: complete and validated. */
export type OAuth2Spec = OAuth2Method & {
  /** For discovered MCP servers. */
  readonly resource?: string
  readonly issuer?: string
  readonly callback?: 'mcp'
  readonly profile?: string
}
export type AuthSpec = OAuth2Spec | ApiKeyMethod | HttpMethod

const ShortText = Type.String({ maxLength: 256 })
const Address = Type.String({ maxLength: 2048 })

export const SecretFieldShape = Type.Object({
  key: Type.String({ pattern: '^[A-Z][A-Z0-9_]*$', maxLength: 128 }),
  label: Type.Optional(ShortText),
  placeholder: Type.Optional(ShortText),
  sensitive: Type.Optional(Type.Boolean()),
  optional: Type.Optional(Type.Boolean()),
})

// The service checks the fields of each kind and names the invalid one.
export const AuthSpecInput = Type.Object({
  kind: StringEnum(['oauth2', 'api_key', 'http']),
  flow: Type.Optional(StringEnum(['authorization_code', 'client_credentials'])),
  authorization_endpoint: Type.Optional(Address),
  token_endpoint: Type.Optional(Address),
  refresh_endpoint: Type.Optional(Address),
  revocation_endpoint: Type.Optional(Address),
  scopes: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 512 }), { maxItems: 200 })),
  scope_separator: Type.Optional(StringEnum([','])),
  pkce: Type.Optional(Type.Boolean()),
  client_auth: Type.Optional(StringEnum(['basic', 'body', 'none'])),
  extra_authorize_params: Type.Optional(Type.Record(Type.String(), Type.String({ maxLength: 2048 }))),
  userinfo_url: Type.Optional(Address),
  userinfo_identifier_path: Type.Optional(ShortText),
  userinfo_name_path: Type.Optional(ShortText),
  token_response: Type.Optional(ShortText),
  identity: Type.Optional(ShortText),
  vars: Type.Optional(ShortText),
  resource: Type.Optional(Address),
  issuer: Type.Optional(Address),
  callback: Type.Optional(StringEnum(['mcp'])),
  profile: Type.Optional(ShortText),
  fields: Type.Optional(Type.Array(SecretFieldShape, { maxItems: 20 })),
  in: Type.Optional(StringEnum(['header', 'query'])),
  name: Type.Optional(ShortText),
  prefix: Type.Optional(ShortText),
  scheme: Type.Optional(StringEnum(['bearer', 'basic'])),
})
export type AuthSpecInput = Static<typeof AuthSpecInput>

export const providerScopes = ['team', 'platform'] as const
export const providerConnectionScopes = ['team', 'user'] as const

export const AuthProvider = Type.Object({
  ...baseFields,
  ...permissionFields,
  slug: Type.String(),
  provider: Type.String({ description: 'Slug of the company the row belongs to' }),
  display_name: Type.String(),
  icon_url: Type.String(),
  website: Type.String(),
  description: Type.String(),
  docs_url: Type.String(),
  how_it_works: Type.Array(Type.String()),
  scope: StringEnum(providerScopes),
  connection_scope: StringEnum(providerConnectionScopes),
  specs: Type.Array(JsonObject),
  client_id_key: Type.String({ description: 'Name of the secret that holds the client id of the OAuth app' }),
  client_secret_key: Type.String(),
})
export type AuthProvider = Static<typeof AuthProvider>

const display = {
  provider: Type.Optional(Type.String({ description: 'Company slug; default: the slug itself' })),
  icon_url: Type.Optional(Address),
  website: Type.Optional(Type.String({ maxLength: 512, description: 'A domain or an https:// URL; www. is removed' })),
  description: Type.Optional(Type.String({ maxLength: 2000 })),
  docs_url: Type.Optional(Address),
  how_it_works: Type.Optional(
    Type.Union([Type.Array(Type.String({ maxLength: 1000 }), { maxItems: 20 }), Type.String({ maxLength: 4000 })], {
      description: 'Steps; a text is split into one step per line',
    }),
  ),
  connection_scope: Type.Optional(StringEnum(providerConnectionScopes)),
  client_id: Type.Optional(Type.String({ maxLength: 4096 })),
  client_secret: Type.Optional(Type.String({ maxLength: 8192 })),
  scope: Type.Optional(StringEnum(providerScopes)),
}
const DisplayName = Type.String({ pattern: '\\S', maxLength: 128 })
const Specs = Type.Array(AuthSpecInput, { minItems: 1, maxItems: 10 })

export const CreateAuthProvider = Type.Object({
  slug: Type.String(),
  display_name: DisplayName,
  specs: Specs,
  ...display,
})
export type CreateAuthProvider = Static<typeof CreateAuthProvider>

export const UpdateAuthProvider = Type.Object({
  slug: Type.Optional(Type.String({ description: 'Cannot be changed: send the current value or omit it' })),
  display_name: Type.Optional(DisplayName),
  specs: Type.Optional(Specs),
  ...display,
})
export type UpdateAuthProvider = Static<typeof UpdateAuthProvider>

export const AuthProvidersQuery = Type.Object({ scope: Type.Optional(StringEnum(['', ...providerScopes])) })

export const AuthHooks = Type.Object({
  token_response: Type.Array(Type.String()),
  identity: Type.Array(Type.String()),
  vars: Type.Array(Type.String()),
  auth_server_profiles: Type.Array(Type.Object({ name: Type.String(), hosts: Type.Array(Type.String()) })),
})
export type AuthHooks = Static<typeof AuthHooks>

export const Deleted = Type.Object({ deleted: Type.Boolean() })

/** RFC 7591 client metadata, served as a document whose URL is the client id. */
export const ClientMetadata = Type.Object({
  client_id: Type.String(),
  client_name: Type.String(),
  client_uri: Type.String(),
  redirect_uris: Type.Array(Type.String()),
  grant_types: Type.Array(Type.String()),
  response_types: Type.Array(Type.String()),
  token_endpoint_auth_method: Type.String(),
  application_type: Type.String(),
})
export type ClientMetadata = Static<typeof ClientMetadata>

export const ClientMetadataPath = Type.Object({
  slug: Type.String({ pattern: '^[a-z0-9]+(-[a-z0-9]+)*$', maxLength: 64 }),
})
