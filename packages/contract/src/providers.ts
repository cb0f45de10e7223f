// Sign-in methods of services, the form of a listed service, and the names of its secrets.

export type SecretField = {
  readonly key: string
  readonly label: string
  readonly placeholder: string
  readonly sensitive: boolean
  readonly optional: boolean
}

export type OAuth2Method = {
  readonly kind: 'oauth2'
  readonly flow: 'authorization_code' | 'client_credentials'
  readonly authorization_endpoint?: string
  readonly token_endpoint: string
  /** The endpoint that refreshes tokens, if it is not the token endpoint. */
  readonly refresh_endpoint?: string
  /** RFC 7009: the endpoint that revokes tokens. */
  readonly revocation_endpoint?: string
  readonly scopes: readonly string[]
  /** Separator of the scopes in a request; default: a space. */
  readonly scope_separator?: ','
  readonly pkce: boolean
  readonly client_auth: 'basic' | 'body' | 'none'
  readonly extra_authorize_params?: Readonly<Record<string, string>>
  /** Answers a GET with the bearer token; the paths locate the account in the JSON. */
  readonly userinfo_url?: string
  readonly userinfo_identifier_path?: string
  readonly userinfo_name_path?: string
  /** Names of hooks, for services that deviate from the standard. */
  readonly token_response?: string
  readonly identity?: string
  readonly vars?: string
}

export type ApiKeyMethod = {
  readonly kind: 'api_key'
  readonly fields: readonly SecretField[]
  readonly in: 'header' | 'query'
  readonly name: string
  /** Prefix of the value, such as `Bearer `. */
  readonly prefix: string
}

export type HttpMethod = {
  readonly kind: 'http'
  readonly scheme: 'bearer' | 'basic'
  /** For `basic`: the user name, then the password. */
  readonly fields: readonly SecretField[]
}

export type AuthMethod = OAuth2Method | ApiKeyMethod | HttpMethod

export type ListedProvider = {
  readonly slug: string
  readonly display_name: string
  readonly website: string
  readonly docs_url: string
  readonly description: string
  readonly how_it_works: readonly string[]
  /** The default owner of a new connection. */
  readonly connection_scope: 'team' | 'user'
  readonly specs: readonly AuthMethod[]
}

export const providerSlugPattern = /^[a-z0-9]+(-[a-z0-9]+)*$/
export const providerSlugMaxLength = 64

export const isProviderSlug = (text: string): boolean =>
  text.length <= providerSlugMaxLength && providerSlugPattern.test(text)

/** The secrets of `my-crm` have names with the prefix `MY_CRM`. */
export const secretPrefixOf = (slug: string): string => slug.toUpperCase().replaceAll('-', '_')

export const clientIdKeyOf = (slug: string): string => `${secretPrefixOf(slug)}_CLIENT_ID`
export const clientSecretKeyOf = (slug: string): string => `${secretPrefixOf(slug)}_CLIENT_SECRET`
export const accessTokenKeyOf = (slug: string): string => `${secretPrefixOf(slug)}_ACCESS_TOKEN`
