// Credential functions for other features and for the HTTP operations.

import type { CredentialRequirement } from '@millrace/contract/apps'
import type {
  CheckRequirements,
  ConnectAnswer,
  RequirementError,
  RequirementsVerdict,
} from '@millrace/contract/credentials'
import { shortId } from '@millrace/contract/ids'
import type { Ctx } from '#platform/core/ctx.ts'
import { fail } from '#platform/core/errors.ts'
import { oauthSpecsOf, setApp } from '../auth-providers/service.ts'
import { providerOf } from './connect.ts'
import { connectOauth } from './connect-oauth.ts'
import { assertMayConnectFor } from './connecting.ts'
import { credentialDto } from './dto.ts'
import { holderOf } from './reads.ts'
import type { Parts } from './refresh.ts'
import {
  credentialsFingerprint,
  credentialsForRun,
  type Requirements,
  type RunCredentials,
  unmetRequirements,
} from './requirements.ts'
import * as store from './store.ts'

export { completeOauth } from './complete.ts'
export { available, capabilities, configs } from './configs.ts'
export { connect } from './connect.ts'
export { disconnect, disconnectProvider } from './disconnect.ts'
export { get, list } from './reads.ts'
export type { RunCredentials } from './requirements.ts'
export { type RequestAuth, requestAuth, withConnection } from './values.ts'

/**
 * The connection that the caller would use for a provider, in the order agent, user, workspace, organization, platform.
 */
export const resolveCredential = async (ctx: Ctx, slug: string, agentId?: string): Promise<Connection | undefined> => {
  const rows = await store.findReachable(ctx.db, { ...holderOf(ctx.actor), agentId }, slug)
  return rows.find(({ status }) => status === 'connected')
}

/** By id, among the connections the caller can reach; another person's own connection is not found. */
export const resolveCredentialById = async (
  ctx: Ctx,
  id: string,
  agentId?: string,
): Promise<Connection | undefined> => {
  const rows = await store.findReachable(ctx.db, { ...holderOf(ctx.actor), agentId }, null)
  return rows.find((row) => row.status === 'connected' && (row.id === id || shortId(row.id) === id))
}

export const findCredential = ({ db }: Pick<Parts, 'db'>, id: string) => store.findById(db, id)

/** The connection of a program; only `withConnection` reads its values. */
export type Connection = NonNullable<Awaited<ReturnType<typeof findCredential>>>

/** Status of the caller's connections by provider; of several, the one with the highest precedence. */
export const connectionStates = async (ctx: Ctx): Promise<Map<string, string>> => {
  const states = new Map<string, string>()
  for (const { provider, status } of await store.findReachable(ctx.db, holderOf(ctx.actor), null))
    if (!states.has(provider)) states.set(provider, status)
  return states
}

/** The unmet requirements of a run; empty when it may start. Returned as the `errors` of `requirements_not_met`. */
export const requirementErrors = (ctx: Ctx, requirements: Requirements): Promise<RequirementError[]> =>
  unmetRequirements(ctx, holderOf(ctx.actor), requirements)

export const check = async (ctx: Ctx, request: CheckRequirements): Promise<RequirementsVerdict> => {
  const errors = await requirementErrors(ctx, {
    required_secrets: request.secrets,
    required_credentials: request.credentials ?? request.integrations,
  })
  return errors.length === 0 ? { satisfied: true } : { satisfied: false, errors }
}

/** The environment that connections provide to a run, with tokens refreshed where needed. */
export const runCredentials = (
  parts: Parts,
  teamId: string,
  userId: string,
  required: readonly CredentialRequirement[],
): Promise<RunCredentials> => credentialsForRun(parts, { teamId, userId }, required)

export const runCredentialsFingerprint = (
  parts: Pick<Parts, 'db' | 'keyring'>,
  teamId: string,
  userId: string,
  required: readonly CredentialRequirement[],
): Promise<string> => credentialsFingerprint(parts, { teamId, userId }, required)

/** Asks the person again, for the granted scopes and the new ones. */
export const addScopes = async (ctx: Ctx, text: string, scopes: readonly string[]): Promise<ConnectAnswer> => {
  const holder = holderOf(ctx.actor)
  const rows = await store.findOwn(ctx.db, holder, text)
  const byId = rows.length === 0 ? await store.findByIdFor(ctx.db, holder, text) : undefined
  const row = rows.find(({ type }) => type === 'oauth' || type === 'mcp') ?? rows[0] ?? byId
  if (!row || row.team_id !== ctx.actor.teamId) throw fail('not_found', `Credential not found: ${text}`)
  const provider = await providerOf(ctx, row.provider)
  const type = row.type === 'mcp' ? 'mcp' : 'oauth'
  if (row.type !== type || oauthSpecsOf(provider).every(({ flow }) => flow !== 'authorization_code'))
    throw fail('validation_error', `${row.display_name} was not connected by a sign-in and has no scopes to add`)
  if (row.scope === 'agent') throw fail('validation_error', 'An agent’s connection can only be changed in the agent')
  await assertMayConnectFor(ctx, row.scope)
  return connectOauth(ctx, { provider, scope: row.scope, type, scopes: [...new Set([...row.scopes, ...scopes])] })
}

export const setOauthApp = async (
  ctx: Ctx,
  slug: string,
  app: { values: Readonly<Record<string, string>>; scope?: 'team' | 'platform' | undefined },
) => credentialDto(await setApp(ctx, await providerOf(ctx, slug), app))
