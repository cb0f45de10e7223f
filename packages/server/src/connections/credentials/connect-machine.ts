// Connects a machine credential: the document is validated, and a service account is tested by creating a token.
import type { ConnectAnswer, ConnectCredential } from '@millrace/contract/credentials'
import type { Ctx } from '#platform/core/ctx.ts'
import { fail } from '#platform/core/errors.ts'
import { assertAddresses } from '../auth-providers/service.ts'
import type { ConnectionScope } from '../secrets/service.ts'
import { answerFor, auditConnection, publishConnected, upsertConnection } from './connecting.ts'
import {
  defaultMachineScopes,
  type MachineDocument,
  type MachineType,
  machineProviders,
  mintToken,
  readMachineDocument,
} from './service-accounts.ts'
import * as store from './store.ts'
import { sealToken, tokenState } from './tokens.ts'

export type MachineRequest = { type: MachineType; scope: ConnectionScope; request: ConnectCredential }

export const connectMachine = async (ctx: Ctx, { type, scope, request }: MachineRequest): Promise<ConnectAnswer> => {
  const provider = machineProviders[type]
  if (request.provider !== provider.slug)
    throw fail('validation_error', `\`type\`: ${type} is only for the provider ${provider.slug}`)
  const document = readMachineDocument(type, request.metadata)
  await assertAddresses(ctx, [document.tokenAddress])
  const scopes = request.scopes?.length ? request.scopes : defaultMachineScopes
  const tokens = type === 'service_account' ? await mintToken(ctx, document.json, scopes) : null
  return ctx.tx(async (ctx) => {
    const { slug, name, icon_url } = provider
    const id = await upsertConnection(ctx, { slug, displayName: name, iconUrl: icon_url, type, scope })
    const row = { id, team_id: ctx.actor.teamId }
    const state = tokens ? await tokenState(ctx, row, tokens, null) : connectedAt(ctx)
    await store.setState(ctx.db, id, {
      ...state,
      ...(await documentState(ctx, row, document)),
      scopes: [...scopes],
    })
    await auditConnection(ctx, 'credential.connected', { id, provider: slug }, { scope })
    await publishConnected(ctx, { id, provider: slug })
    return answerFor(ctx, id)
  })
}

const connectedAt = (ctx: Ctx): store.ConnectionState => ({
  status: 'connected',
  error_message: '',
  updated_at: ctx.now().toISOString(),
})

/** The document is stored in the place of the refresh token, because new tokens are made from it. */
const documentState = async (ctx: Ctx, row: { id: string; team_id: string }, document: MachineDocument) => ({
  refresh_token_sealed: await sealToken(ctx, row, 'refresh_token_sealed', document.json),
  account_identifier: document.identifier,
  account_name: document.name,
})
