// Completes a sign-in when the browser returns from the service. The state is consumed first in every case; then
// the code is exchanged.
import type { CompleteOauth, ConnectAnswer } from '@millrace/contract/credentials'
import type { Ctx } from '#platform/core/ctx.ts'
import { fail, isFailure } from '#platform/core/errors.ts'
import { hashToken, sameSecret } from '#platform/core/tokens.ts'
import { findAppOf } from '../auth-providers/service.ts'
import { clientWith, specFor } from './clients.ts'
import { providerOf } from './connect.ts'
import { connectionMetadata, verifierBinding } from './connect-oauth.ts'
import { answerFor, auditConnection, publishConnected } from './connecting.ts'
import { deriveIdentity } from './identity.ts'
import { exchangeCode, type OauthClient, type Tokens } from './oauth-client.ts'
import { takeState } from './states-store.ts'
import * as store from './store.ts'
import { tokenState } from './tokens.ts'

type State = NonNullable<Awaited<ReturnType<typeof takeState>>>

export const badState = () => fail('invalid_request', 'The sign-in is not valid any more; start it again')

const spendState = async (ctx: Ctx, request: CompleteOauth): Promise<State> => {
  const { actor, db } = ctx
  const key = {
    stateHash: hashToken(request.state),
    teamId: actor.teamId,
    userId: actor.userId,
    provider: request.provider,
  }
  const state = await takeState(db, key, ctx.now().toISOString())
  if (!state) throw badState()
  return state
}

export const completeOauth = async (ctx: Ctx, request: CompleteOauth): Promise<ConnectAnswer> => {
  const state = await spendState(ctx, request)
  try {
    const row = await store.findById(ctx.db, state.credential_id)
    if (!row || (request.type !== undefined && request.type !== row.type)) throw badState()
    const code = codeOf(request)
    const client = await clientFor(ctx, state)
    const codeVerifier = await verifierOf(ctx, state, request.code_verifier)
    const returned = { code, state: request.state, iss: request.iss }
    const tokens = await exchangeCode(ctx, client, returned, { redirectUri: state.redirect_uri, codeVerifier })
    return await storeTokens(ctx, state, client, tokens)
  } catch (error) {
    const message = isFailure(error) ? error.message : 'The sign-in failed'
    await store.setRefused(ctx.db, state.credential_id, message, ctx.now().toISOString())
    throw error
  }
}

const knownError = /^[a-z_]{1,64}$/

const codeOf = ({ code, error, provider }: CompleteOauth): string => {
  if (error === 'access_denied') throw fail('access_denied', `The sign-in to ${provider} was denied`)
  if (error) throw fail('invalid_request', `${provider} refused: ${knownError.test(error) ? error : 'an error'}`)
  if (!code) throw fail('invalid_request', '`code` is required')
  return code
}

const clientFor = async (ctx: Ctx, state: State): Promise<OauthClient> => {
  const provider = await providerOf(ctx, state.provider)
  const spec = specFor(provider, 'authorization_code')
  const app = await findAppOf(ctx, provider, state.app_credential_id)
  if (!spec || !app) throw fail('invalid_request', 'The OAuth app of this sign-in was deleted; start the sign-in again')
  return clientWith(provider, spec, app)
}

/** The verifier never left the server; a verifier in the request must be equal to it. */
const verifierOf = async ({ db, keyring }: Ctx, state: State, sent: string | undefined): Promise<string | null> => {
  if (state.code_verifier_sealed === null) return null
  const storedVerifier = (await keyring.open(db, state.code_verifier_sealed, verifierBinding(state.id))).toString()
  if (sent && !sameSecret(sent, storedVerifier))
    throw fail('invalid_request', '`code_verifier` does not match this sign-in')
  return storedVerifier
}

const storeTokens = async (ctx: Ctx, state: State, client: OauthClient, tokens: Tokens): Promise<ConnectAnswer> => {
  const identity = await deriveIdentity(ctx, client.spec, tokens)
  return ctx.tx(async (ctx) => {
    const row = await store.lockById(ctx.db, state.credential_id)
    if (!row) throw badState()
    // A service may send its refresh token only once, and the token of another account must not be used.
    const sameAccount =
      identity.account_identifier !== undefined && identity.account_identifier === row.account_identifier
    await store.setState(ctx.db, row.id, {
      account_identifier: '',
      account_name: '',
      ...(await tokenState(ctx, row, tokens, sameAccount ? row.refresh_token_sealed : null)),
      ...identity,
      scopes: tokens.scopes ? [...tokens.scopes] : state.scopes,
      app_credential_id: state.app_credential_id,
      metadata: connectionMetadata(client.spec),
      refresh_lease: null,
      refresh_lease_until: null,
    })
    await auditConnection(ctx, 'credential.connected', row, { scope: row.scope })
    await publishConnected(ctx, row)
    return answerFor(ctx, row.id)
  })
}
