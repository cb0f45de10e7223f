// Auth provider functions for other features.
import type { Platform } from '#platform/core/ctx.ts'
import * as store from './store.ts'

export {
  appFields,
  filledSpec,
  findApp,
  findAppOf,
  listApps,
  type OauthApp,
  oauthSpecsOf,
  setApp,
} from './apps.ts'
export { type AuthServerProfile, profileNamed } from './auth-server-profiles.ts'
export { assertAddresses } from './endpoints.ts'
export { type AccountIdentity, readIdentity } from './identities.ts'
export { type EnsuredMcpProvider, ensureMcpProvider, findMcpProvider, type McpServer } from './mcp.ts'
export { redirectAddress } from './redirect.ts'
export { builtInSlugs, environmentName } from './rules.ts'
export { readTokenAnswer } from './token-responses.ts'

/** The provider of a slug; the workspace's own row has precedence over the platform's. */
export const findProvider = ({ db }: Pick<Platform, 'db'>, teamId: string, slug: string) =>
  store.findBySlug(db, teamId, slug)

export type Provider = NonNullable<Awaited<ReturnType<typeof findProvider>>>

/**
 * All providers that a workspace can connect, in byte order of the slug; its own rows hide platform rows of the same
 * name.
 */
export const listProviders = async ({ db }: Pick<Platform, 'db'>, teamId: string): Promise<Provider[]> => {
  const own = await store.findTeamRows(db, teamId)
  const hidden = new Set(own.map(({ slug }) => slug))
  const shared = (await store.findPlatformRows(db)).filter(({ slug }) => !hidden.has(slug))
  return [...own, ...shared].sort((a, b) => (a.slug < b.slug ? -1 : 1))
}
