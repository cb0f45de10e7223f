// Schemas of credentials: connections to other services, and their OAuth apps. Tokens are never returned.
import Type, { type Static } from 'typebox'
import { CredentialRequirement, SecretRequirement } from './apps.ts'
import { baseFields, JsonObject, PathText, permissionFields, StringEnum, Timestamp } from './common.ts'

export const credentialTypes = ['oauth', 'api_key', 'mcp', 'service_account', 'wif'] as const
export type CredentialType = (typeof credentialTypes)[number]

export const credentialScopes = ['agent', 'user', 'team', 'org', 'platform'] as const

export const credentialStatuses = ['pending', 'connected', 'disconnected', 'expired', 'error'] as const
export type CredentialStatus = (typeof credentialStatuses)[number]

export const Credential = Type.Object({
  ...baseFields,
  ...permissionFields,
  provider: Type.String(),
  type: StringEnum(credentialTypes),
  grant: StringEnum(['credentials', 'token'], { description: 'credentials: an OAuth app · token: a connection' }),
  app_credential_id: Type.Optional(Type.String()),
  scope: StringEnum(credentialScopes),
  status: StringEnum(credentialStatuses),
  display_name: Type.String(),
  icon_url: Type.Optional(Type.String()),
  account_identifier: Type.Optional(Type.String()),
  account_name: Type.Optional(Type.String()),
  scopes: Type.Array(Type.String()),
  expires_at: Type.Optional(Timestamp),
  vault_id: Type.Optional(Type.String()),
  metadata: Type.Optional(JsonObject),
  is_primary: Type.Boolean(),
  error_message: Type.Optional(Type.String()),
})
export type Credential = Static<typeof Credential>

export const SecretFieldConfig = Type.Object({
  key: Type.String(),
  label: Type.String(),
  placeholder: Type.String(),
  sensitive: Type.Boolean(),
  optional: Type.Boolean(),
})

export const ProviderConfig = Type.Object({
  slug: Type.String(),
  provider: Type.String(),
  type: StringEnum(credentialTypes),
  name: Type.String(),
  short_name: Type.String(),
  description: Type.String(),
  icon_url: Type.Optional(Type.String()),
  how_it_works: Type.Optional(Type.Array(Type.String())),
  docs_url: Type.Optional(Type.String()),
  secret_fields: Type.Optional(Type.Array(SecretFieldConfig)),
  allows_byok: Type.Boolean(),
  available: Type.Boolean({ description: 'Can be connected' }),
  has_managed: Type.Boolean({ description: 'The platform has an OAuth app or a connection of its own' }),
  connection_scope: Type.String(),
  grant: Type.Optional(StringEnum(['credentials', 'token'], { description: 'The next input that is needed' })),
  custom_provider_id: Type.Optional(Type.String()),
  auth_scheme_id: Type.Optional(Type.String()),
  app: Type.Optional(Credential),
  credential: Type.Optional(Credential),
})
export type ProviderConfig = Static<typeof ProviderConfig>

export const Capabilities = Type.Object({
  capabilities: Type.Array(
    Type.Object({
      key: Type.String(),
      provider: Type.String(),
      type: StringEnum(credentialTypes),
      scopes: Type.Optional(Type.Array(Type.String())),
      satisfies: Type.Optional(Type.Array(Type.String({ description: 'Environment variables that the run receives' }))),
      display_name: Type.String(),
      description: Type.Optional(Type.String()),
      available: Type.Boolean(),
    }),
  ),
})
export type Capabilities = Static<typeof Capabilities>

export const RequirementError = Type.Object({
  type: StringEnum(['secret', 'integration', 'scope']),
  key: Type.String(),
  message: Type.String(),
  action: Type.Optional(
    Type.Object({
      type: StringEnum(['add_secret', 'connect', 'add_scopes']),
      provider: Type.Optional(Type.String()),
      provider_name: Type.Optional(Type.String()),
      provider_website: Type.Optional(Type.String()),
      scopes: Type.Optional(Type.Array(Type.String())),
      scope_descriptions: Type.Optional(Type.Record(Type.String(), Type.String())),
      secrets: Type.Optional(Type.Array(Type.String())),
    }),
  ),
})
export type RequirementError = Static<typeof RequirementError>

export const CheckRequirements = Type.Object({
  secrets: Type.Optional(Type.Array(SecretRequirement, { maxItems: 100 })),
  integrations: Type.Optional(Type.Array(CredentialRequirement, { maxItems: 100 })),
  credentials: Type.Optional(Type.Array(CredentialRequirement, { maxItems: 100 })),
})
export type CheckRequirements = Static<typeof CheckRequirements>

export const RequirementsVerdict = Type.Object({
  satisfied: Type.Boolean(),
  errors: Type.Optional(Type.Array(RequirementError)),
})
export type RequirementsVerdict = Static<typeof RequirementsVerdict>

const OneScope = Type.String({ minLength: 1, maxLength: 512, pattern: '^[!-~]+$' })
const Slug = Type.String({ minLength: 1, maxLength: 64 })

export const ConnectCredential = Type.Object({
  provider: Slug,
  type: StringEnum([...credentialTypes, 'http'], { description: 'http: user name and password, or a bearer token' }),
  scopes: Type.Optional(Type.Array(OneScope, { maxItems: 200 })),
  api_key: Type.Optional(Type.String({ maxLength: 65_536 })),
  metadata: Type.Optional(JsonObject),
  connection_scope: Type.Optional(StringEnum(['', 'user', 'team', 'org', 'platform'])),
})
export type ConnectCredential = Static<typeof ConnectCredential>

export const CompleteOauth = Type.Object({
  provider: Slug,
  type: Type.Optional(StringEnum(['oauth', 'mcp'])),
  code: Type.Optional(Type.String({ maxLength: 8192 })),
  state: Type.String({ maxLength: 512 }),
  code_verifier: Type.Optional(Type.String({ maxLength: 256 })),
  iss: Type.Optional(Type.String({ maxLength: 2048, description: 'As the service returned it (RFC 9207)' })),
  error: Type.Optional(Type.String({ maxLength: 256, description: 'As the service returned it instead of a code' })),
  error_description: Type.Optional(Type.String({ maxLength: 2048 })),
})
export type CompleteOauth = Static<typeof CompleteOauth>

export const ConnectAnswer = Type.Object({
  credential: Credential,
  integration: Credential,
  auth_url: Type.Optional(Type.String()),
  state: Type.Optional(Type.String()),
  code_verifier: Type.Optional(Type.String()),
  instructions: Type.Optional(Type.String()),
  requires_confirmation: Type.Optional(Type.Boolean()),
  confirmation_type: Type.Optional(Type.String()),
  message: Type.Optional(Type.String()),
})
export type ConnectAnswer = Static<typeof ConnectAnswer>

export const CredentialPath = Type.Object({ provider: PathText })

export const AddScopes = Type.Object({ scopes: Type.Array(OneScope, { minItems: 1, maxItems: 200 }) })
export type AddScopes = Static<typeof AddScopes>

export const SetOauthApp = Type.Object({
  values: Type.Record(Type.String(), Type.String({ maxLength: 8192 })),
  scope: Type.Optional(StringEnum(['team', 'platform'], { description: 'platform: for every workspace' })),
})
export type SetOauthApp = Static<typeof SetOauthApp>
