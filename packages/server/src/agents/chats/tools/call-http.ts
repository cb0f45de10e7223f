// Sends the request of an HTTP tool through the guarded client. Keys are added only here, and masked in the response
// before it is stored.
import type { HttpToolConfig, Tool, ToolAuth } from '@millrace/contract/agents'
import { masker } from '@millrace/contract/mask'
import {
  type Connection,
  resolveCredential,
  resolveCredentialById,
  withConnection,
} from '#connections/credentials/service.ts'
import { secretValue } from '#connections/secrets/service.ts'
import type { Member } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { fail, isFailure } from '#platform/core/errors.ts'
import { requireScope } from '#platform/core/scope-checks.ts'
import { toolSecret, type Version } from '../../agents/service.ts'
import * as store from '../store.ts'
import { clippedBytes, hasVariableHost, type ToolRequest, toolRequest } from './http-request.ts'
import type { ToolOutcome } from './kinds.ts'

const timeoutMs = 30_000
const maxResultBytes = 64 * 1024
/** More than is stored, so that a key at the cut is still masked; the rest is not read. */
const maxReadBytes = 1024 * 1024

/** The keys that a tool may use: those in its version, and the named secrets of the run's workspace. */
export type KeyParts = {
  versionId: string
  /** The run is in the workspace of the version, whose raw keys it may use. */
  isSameTeam: boolean
  /**
   * The agent was transferred to the run's workspace, but its versions come from another one: it may use the
   * workspace's secrets, but not the raw keys of the old versions.
   */
  isAdopted?: boolean
}

export type ToolCallParts = KeyParts & {
  agentId: string | null
  context: Readonly<Record<string, unknown>>
  /** The trace context of the call; empty if there is none. */
  traceparent: string
}

export const keyPartsOf = async (
  { db }: Pick<Ctx<Member>, 'db'>,
  version: Version,
  chat: Pick<store.ChatRow, 'team_id'>,
): Promise<KeyParts> => {
  const isSameTeam = version.team_id === chat.team_id
  const owner = isSameTeam || version.agent_id === null ? undefined : await store.findAgentOwner(db, version.agent_id)
  return { versionId: version.id, isSameTeam, isAdopted: owner?.team_id === chat.team_id }
}

/** Running another workspace's agent must not give it access to the secrets of this workspace. */
const assertOwnWorkspace = ({ isSameTeam, isAdopted = false }: KeyParts, what: string): void => {
  if (!isSameTeam && !isAdopted)
    throw fail('forbidden', `The agent belongs to another workspace and may not use the ${what} of this one`)
}

/**
 * A raw key or a named secret. Named secrets are only for agents of the workspace, and the run needs the scope to use
 * secret values.
 */
export const keyOf = async (ctx: Ctx<Member>, tool: Tool, named: string, parts: KeyParts): Promise<string> => {
  const written = await toolSecret(ctx, parts.versionId, tool.name)
  if (written !== undefined) {
    if (!parts.isSameTeam) throw fail('forbidden', 'The key of this tool belongs to another workspace')
    return (await secretByName(ctx, written)) ?? written
  }
  assertOwnWorkspace(parts, 'secrets')
  const value = await secretByName(ctx, named)
  if (value === null) throw fail('not_found', `Secret ${named} not found`)
  return value
}

const secretByName = async (ctx: Ctx<Member>, name: string): Promise<string | null> => {
  if (!/^[A-Za-z_][A-Za-z0-9_]{0,127}$/.test(name)) return null
  const value = await secretValue(ctx, ctx.actor.teamId, name)
  if (value === null) return null
  requireScope(ctx.actor, 'secrets:reveal')
  return value
}

type Signed =
  | { kind: 'headers'; headers: Record<string, string>; secrets: string[]; used: Record<string, unknown> }
  | { kind: 'connection'; row: Connection }
  | { kind: 'missing'; provider: string }

/** A connection is named by its id or by its provider. */
const connectionOf = async (ctx: Ctx<Member>, auth: ToolAuth, agentId: string | undefined) => {
  const id = auth.credential_id || auth.integration_id
  const named = id && ((await resolveCredentialById(ctx, id, agentId)) ?? (await resolveCredential(ctx, id, agentId)))
  return named || (auth.provider ? resolveCredential(ctx, auth.provider, agentId) : undefined)
}

const isConnection = (auth: ToolAuth): boolean => auth.type === 'integration' || auth.type === 'credential'

const sign = async (ctx: Ctx<Member>, tool: Tool, auth: ToolAuth, parts: ToolCallParts): Promise<Signed> => {
  if (isConnection(auth)) {
    const row = await connectionOf(ctx, auth, parts.agentId ?? undefined)
    // A connection created for this agent may be used by it.
    if (row?.scope !== 'agent') assertOwnWorkspace(parts, 'connections')
    const provider = auth.provider || auth.credential_id || auth.integration_id || ''
    return row ? { kind: 'connection', row } : { kind: 'missing', provider }
  }
  if (!auth.secret || auth.type === 'none' || auth.type === '')
    return { kind: 'headers', headers: {}, secrets: [], used: {} }
  const key = await keyOf(ctx, tool, auth.secret, parts)
  const headers: Record<string, string> =
    auth.type === 'bearer' ? { authorization: `Bearer ${key}` } : { [auth.header || 'X-API-Key']: key }
  return {
    kind: 'headers',
    headers,
    secrets: [key],
    used: { secret: auth.secret.startsWith('****') ? 'tool' : auth.secret },
  }
}

type Sent = { response: Response; secrets: string[]; used: Record<string, unknown> }

const send = async (
  ctx: Ctx<Member>,
  request: ToolRequest,
  signed: Exclude<Signed, { kind: 'missing' }>,
): Promise<Sent> => {
  const fetchWith = (headers: Record<string, string>, query: Record<string, string> = {}) => {
    const url = new URL(request.url)
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
    return ctx.outbound.fetch(url, {
      method: request.method,
      headers: { ...request.headers, ...headers },
      body: request.body,
      timeoutMs,
      maxBytes: null,
      maxRedirects: 5,
      signal: ctx.signal,
    })
  }
  if (signed.kind === 'headers')
    return { response: await fetchWith(signed.headers), secrets: signed.secrets, used: signed.used }
  const secrets: string[] = []
  const response = await withConnection(ctx, signed.row, (auth) => {
    const values = [...Object.values(auth.headers), ...Object.values(auth.query)]
    secrets.push(...values.flatMap((value) => [value, value.replace(/^(Bearer|Basic) /, '')]))
    return fetchWith(auth.headers, auth.query)
  })
  return { response, secrets, used: { credential_id: signed.row.id, provider: signed.row.provider } }
}

/** A `traceparent` in the tool's own headers takes precedence. */
const traced = (request: ToolRequest, { traceparent }: ToolCallParts): ToolRequest =>
  traceparent === '' ? request : { ...request, headers: { traceparent, ...request.headers } }

/** The part of a response that is read. */
const beginningOf = async (response: Response): Promise<string> => {
  const parts: Uint8Array[] = []
  let sizeBytes = 0
  for await (const part of response.body ?? []) {
    parts.push(part)
    sizeBytes += part.byteLength
    // Leaving the loop closes the connection.
    if (sizeBytes >= maxReadBytes) break
  }
  return new TextDecoder().decode(Buffer.concat(parts))
}

export const callHttp = async (
  ctx: Ctx<Member>,
  tool: Tool,
  config: HttpToolConfig,
  given: Record<string, unknown>,
  parts: ToolCallParts,
): Promise<ToolOutcome> => {
  const auth: ToolAuth = config.auth ?? { type: 'none' }
  const hasKey = isConnection(auth) || Boolean(auth.secret)
  if (hasKey && hasVariableHost(config.url))
    return { status: 'failed', result: 'A tool with a key cannot use a placeholder as host' }
  try {
    const request = toolRequest(config, given, parts.context)
    const signed = await sign(ctx, tool, auth, parts)
    if (signed.kind === 'missing')
      return { status: 'auth_required', provider: signed.provider, message: `${signed.provider} is not connected` }
    const { response, secrets, used } = await send(ctx, traced(request, parts), signed)
    const text = masker(secrets)(await beginningOf(response))
    if (response.ok) return { status: 'completed', result: clippedBytes(text, maxResultBytes), used }
    return { status: 'failed', result: clippedBytes(`HTTP ${response.status}: ${text}`, maxResultBytes), used }
  } catch (error) {
    if (isFailure(error)) return { status: 'failed', result: error.message }
    if (error instanceof TypeError) return { status: 'failed', result: 'The URL of the tool is not valid' }
    throw error
  }
}
