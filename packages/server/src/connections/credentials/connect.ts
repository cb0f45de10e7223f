// Connects a service: chooses the provider, the holder and the connection type. Shared parts of all types are here.
import type { ConnectAnswer, ConnectCredential } from '@millrace/contract/credentials'
import type { Ctx } from '#platform/core/ctx.ts'
import { fail } from '#platform/core/errors.ts'
import { findProvider, type Provider } from '../auth-providers/service.ts'
import { connectKey } from './connect-key.ts'
import { connectMachine } from './connect-machine.ts'
import { connectOauth } from './connect-oauth.ts'
import { assertMayConnectFor } from './connecting.ts'

export const connect = async (ctx: Ctx, request: ConnectCredential): Promise<ConnectAnswer> => {
  const { type } = request
  if (type === 'service_account' || type === 'wif') {
    const scope = request.connection_scope || 'team'
    await assertMayConnectFor(ctx, scope)
    return connectMachine(ctx, { type, scope, request })
  }
  const provider = await providerOf(ctx, request.provider)
  const scope = request.connection_scope || provider.connection_scope
  await assertMayConnectFor(ctx, scope)
  if (type === 'api_key' || type === 'http') return connectKey(ctx, { provider, scope, request })
  return connectOauth(ctx, { provider, scope, type, scopes: request.scopes })
}

export const providerOf = async (ctx: Ctx, slug: string): Promise<Provider> => {
  const provider = await findProvider(ctx, ctx.actor.teamId, slug)
  if (!provider) throw fail('not_found', `Provider not found: ${slug}`)
  return provider
}
