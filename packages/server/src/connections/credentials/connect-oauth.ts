// Connects through OAuth: immediately with client credentials, or by sending a browser to the service. The state is
// valid for ten minutes, for one use, and only for the person and workspace that started. The PKCE verifier stays on
// the server.
import type { OAuth2Spec } from '@millrace/contract/auth-providers'
import type { ConnectAnswer } from '@millrace/contract/credentials'
import { newId } from '@millrace/contract/ids'
import type { Ctx } from '#platform/core/ctx.ts'
import { fail } from '#platform/core/errors.ts'
import { hashToken } from '#platform/core/tokens.ts'
import { sealBinding } from '#platform/keyring/sealed-columns.ts'
import {
  appFields,
  findApp,
  type OauthApp,
  oauthSpecsOf,
  type Provider,
  redirectAddress,
} from '../auth-providers/service.ts'
import type { ConnectionScope } from '../secrets/service.ts'
import { clientWith } from './clients.ts'
import { answerFor, auditConnection, type Connecting, publishConnected, upsertConnection } from './connecting.ts'
import { deriveIdentity } from './identity.ts'
import {
  authorizationAddress,
  fetchClientCredentials,
  newCodeVerifier,
  newState,
  type OauthClient,
} from './oauth-client.ts'
import { insertState } from './states-store.ts'
import * as store from './store.ts'
import { tokenState } from './tokens.ts'

export const stateLifetimeMs = 10 * 60_000

export type OauthRequest = {
  provider: Provider
  scope: ConnectionScope
  type: 'oauth' | 'mcp'
  /** Empty means the provider's default scopes. */
  scopes: readonly string[] | undefined
}

const specOf = ({ provider, type }: OauthRequest): OAuth2Spec => {
  const [spec] = oauthSpecsOf(provider)
  if (!spec || (type === 'mcp' && spec.callback !== 'mcp'))
    throw fail('validation_error', `\`type\`: ${provider.slug} does not connect with ${type}`)
  return spec
}

const appOf = async (ctx: Ctx, provider: Provider): Promise<OauthApp> => {
  const app = await findApp(ctx, ctx.actor.teamId, provider)
  if (app) return app
  throw fail('validation_error', {
    detail: `${provider.display_name} has no OAuth app; set one with PUT /credentials/${provider.slug}/app`,
    meta: {
      redirect_uri: redirectAddress(ctx.settings, provider.slug),
      keys: appFields(provider).map(({ key }) => key),
    },
  })
}

export const connectOauth = async (ctx: Ctx, request: OauthRequest): Promise<ConnectAnswer> => {
  const { provider } = request
  const spec = specOf(request)
  const app = await appOf(ctx, provider)
  const scopes = [...new Set(request.scopes?.length ? request.scopes : spec.scopes)]
  const connecting: Connecting = {
    slug: provider.slug,
    displayName: provider.display_name,
    iconUrl: provider.icon_url,
    type: spec.callback === 'mcp' ? 'mcp' : 'oauth',
    scope: request.scope,
  }
  const sign = { client: clientWith(provider, spec, app), app, scopes, connecting }
  return spec.flow === 'client_credentials' ? connectAtOnce(ctx, sign) : beginSignIn(ctx, sign)
}

type SignIn = { client: OauthClient; app: OauthApp; scopes: string[]; connecting: Connecting }

export const connectionMetadata = ({ flow, profile }: OAuth2Spec): string =>
  JSON.stringify({ flow, ...(profile === undefined ? {} : { profile }) })

const connectAtOnce = async (ctx: Ctx, { client, app, scopes, connecting }: SignIn): Promise<ConnectAnswer> => {
  const tokens = await fetchClientCredentials(ctx, client, scopes)
  const identity = await deriveIdentity(ctx, client.spec, tokens)
  return ctx.tx(async (ctx) => {
    const id = await upsertConnection(ctx, connecting)
    const row = { id, team_id: ctx.actor.teamId }
    await store.setState(ctx.db, id, {
      ...(await tokenState(ctx, row, tokens, null)),
      ...identity,
      scopes: tokens.scopes ? [...tokens.scopes] : scopes,
      app_credential_id: app.row.id,
      metadata: connectionMetadata(client.spec),
    })
    await auditConnection(ctx, 'credential.connected', { id, provider: connecting.slug }, { scope: connecting.scope })
    await publishConnected(ctx, { id, provider: connecting.slug })
    return answerFor(ctx, id)
  })
}

export const verifierBinding = (stateId: string): string => sealBinding('oauth_states', stateId, 'code_verifier_sealed')

const beginSignIn = async (ctx: Ctx, { client, app, scopes, connecting }: SignIn): Promise<ConnectAnswer> => {
  const { spec } = client
  const redirectUri = redirectAddress(ctx.settings, connecting.slug)
  const state = await newState()
  const codeVerifier = spec.pkce ? await newCodeVerifier() : null
  const address = await authorizationAddress(ctx, client, { redirectUri, state, codeVerifier, scopes })
  return ctx.tx(async (ctx) => {
    const { actor, db, keyring } = ctx
    const credentialId = await upsertConnection(ctx, connecting)
    const id = newId()
    const now = ctx.now()
    await insertState(db, {
      id,
      state_hash: hashToken(state),
      team_id: actor.teamId,
      user_id: actor.userId,
      credential_id: credentialId,
      app_credential_id: app.row.id,
      provider: connecting.slug,
      scopes,
      redirect_uri: redirectUri,
      code_verifier_sealed:
        codeVerifier === null ? null : await keyring.seal(db, actor.teamId, codeVerifier, verifierBinding(id)),
      created_at: now.toISOString(),
      expires_at: new Date(now.getTime() + stateLifetimeMs).toISOString(),
    })
    const row = { id: credentialId, provider: connecting.slug }
    await auditConnection(ctx, 'credential.connect_started', row, { scope: connecting.scope, scopes })
    return answerFor(ctx, credentialId, {
      auth_url: address,
      state,
      // A public client has no other proof and may store its own copy.
      ...(spec.client_auth === 'none' && codeVerifier !== null ? { code_verifier: codeVerifier } : {}),
    })
  })
}
