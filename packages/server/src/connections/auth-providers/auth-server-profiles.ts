// Authorization servers of MCP resources that need more than the standard. The profile is chosen at discovery and
// stored for later requests. Pure.

export type AuthServerProfile = {
  readonly name: string
  /** Exact hosts, or `*.example.com` for every subdomain. */
  readonly hosts: readonly string[]
  readonly authorizeParams: Readonly<Record<string, string>>
  /** Requested in addition to the resource's scopes, when the server supports them. */
  readonly scopes: readonly string[]
  /** The parameter that names the resource of the token (`resource` in RFC 8707). */
  readonly resourceParameter: 'resource' | 'audience' | null
  readonly tokenResponse?: string
}

const standard: AuthServerProfile = {
  name: 'standard',
  hosts: [],
  authorizeParams: {},
  scopes: [],
  resourceParameter: 'resource',
}

export const authServerProfiles: readonly AuthServerProfile[] = [
  { ...standard, name: 'auth0', hosts: ['*.auth0.com'], scopes: ['offline_access'], resourceParameter: 'audience' },
  { ...standard, name: 'github', hosts: ['github.com'], resourceParameter: null, tokenResponse: 'comma_scopes' },
  {
    ...standard,
    name: 'google',
    hosts: ['accounts.google.com', 'oauth2.googleapis.com'],
    // The server returns a refresh token only with user consent and offline access.
    authorizeParams: { access_type: 'offline', prompt: 'consent' },
    resourceParameter: null,
  },
  {
    ...standard,
    name: 'microsoft',
    hosts: ['login.microsoftonline.com', 'login.microsoft.com', 'login.windows.net'],
    scopes: ['offline_access'],
    // Version 2 of the endpoints rejects `resource`; the scopes name the resource.
    resourceParameter: null,
  },
  { ...standard, name: 'okta', hosts: ['*.okta.com', '*.oktapreview.com'], scopes: ['offline_access'] },
  {
    ...standard,
    name: 'slack',
    hosts: ['slack.com', '*.slack.com'],
    resourceParameter: null,
    tokenResponse: 'slack_authed_user',
  },
  standard,
]

export const profileNamed = (name: string | undefined): AuthServerProfile =>
  authServerProfiles.find((profile) => profile.name === name) ?? standard

const hostMatches = (host: string, pattern: string): boolean =>
  pattern.startsWith('*.') ? host.endsWith(pattern.slice(1)) : host === pattern

const hostOf = (address: string | undefined): string =>
  address !== undefined && URL.canParse(address) ? new URL(address).hostname.toLowerCase() : ''

export type DiscoveredServer = {
  readonly issuer?: string | undefined
  readonly authorization_endpoint?: string | undefined
  readonly token_endpoint?: string | undefined
}

/** Matches the host of the issuer, then of the authorization endpoint, then of the token endpoint. */
export const pickProfile = (server: DiscoveredServer): AuthServerProfile => {
  for (const address of [server.issuer, server.authorization_endpoint, server.token_endpoint]) {
    const host = hostOf(address)
    const found = authServerProfiles.find(({ hosts }) => hosts.some((pattern) => hostMatches(host, pattern)))
    if (found) return found
  }
  return standard
}
