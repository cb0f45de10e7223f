// Providers and connections used by the tests of credentials.
import { clientIdKeyOf, clientSecretKeyOf } from '@millrace/contract/providers'
import type { As, World } from '../../../testing/world.ts'
import { type AuthorizationServer, clientId, clientSecret, visit } from './authorization-server.ts'

/** A spec that signs in at the test server. */
export const specFor = (server: Pick<AuthorizationServer, 'address'>, more: object = {}) => ({
  kind: 'oauth2',
  authorization_endpoint: `${server.address}/auth`,
  token_endpoint: `${server.address}/token`,
  revocation_endpoint: `${server.address}/token/revocation`,
  userinfo_url: `${server.address}/me`,
  userinfo_identifier_path: 'sub',
  userinfo_name_path: 'name',
  scopes: ['openid', 'profile', 'read'],
  client_auth: 'basic',
  ...more,
})

export type NewProvider = { slug: string; specs: object[]; more?: object; as?: As }

/** Creates a provider of the workspace with its OAuth app; returns its id. */
export const givenProvider = async (
  world: World,
  { slug, specs, more = {}, as = 'owner' }: NewProvider,
): Promise<string> => {
  const usesOauth = specs.some((spec) => (spec as { kind: string }).kind === 'oauth2')
  const client = usesOauth ? { client_id: clientId, client_secret: clientSecret } : {}
  const answer = await world.call(as, 'POST /auth-providers', {
    body: { slug, display_name: `The ${slug}`, specs, ...client, ...more },
  })
  if (answer.status !== 200) throw new Error(answer.text)
  return answer.data.id
}

/** Connects through the test server, from start to redirect. */
export const connectAt = async (world: World, as: As, slug: string, body: object = {}) => {
  const begun = await world.call(as, 'POST /credentials', { body: { provider: slug, type: 'oauth', ...body } })
  if (begun.status !== 200) throw new Error(begun.text)
  const returned = await visit(begun.data.auth_url)
  const done = await world.call(as, 'POST /credentials/oauth/complete', {
    body: { provider: slug, type: 'oauth', ...returned },
  })
  if (done.status !== 200) throw new Error(done.text)
  return done.data.credential as { id: string; status: string; scopes: string[]; expires_at?: string }
}

export const appValues = (slug: string) => ({
  [clientIdKeyOf(slug)]: clientId,
  [clientSecretKeyOf(slug)]: clientSecret,
})

export const credentialRow = (world: World, id: string) =>
  world.open.platform.db.selectFrom('credentials').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
