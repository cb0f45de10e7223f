// Authorization servers of MCP resources that need a little more than the standard. A profile is picked from what was
// discovered and recorded, so that later requests need not guess again. Pure.

export type AuthServerProfile = {
  readonly name: string
  /** Exact hosts, or `*.example.com` for every host below it. */
  readonly hosts: readonly string[]
  readonly authorizeParams: Readonly<Record<string, string>>
  /** Asked for besides what the resource names, when the server lets it be asked for. */
  readonly scopes: readonly string[]
  /** How the server is told which resource the token is for (RFC 8707 says `resource`). */
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
    // A refresh token is handed out only when the person is asked, and asked for offline access.
    authorizeParams: { access_type: 'offline', prompt: 'consent' },
    resourceParameter: null,
  },
  {
    ...standard,
    name: 'microsoft',
    hosts: ['login.microsoftonline.com', 'login.microsoft.com', 'login.windows.net'],
    scopes: ['offline_access'],
    // Version 2 of the endpoints refuses `resource`: the scopes name the resource.
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

/** By the issuer's host, then the authorization endpoint's, then the token endpoint's. */
export const pickProfile = (server: DiscoveredServer): AuthServerProfile => {
  for (const address of [server.issuer, server.authorization_endpoint, server.token_endpoint]) {
    const host = hostOf(address)
    const found = authServerProfiles.find(({ hosts }) => hosts.some((pattern) => hostMatches(host, pattern)))
    if (found) return found
  }
  return standard
}
