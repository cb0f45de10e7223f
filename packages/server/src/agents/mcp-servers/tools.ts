// The tools of a server, cached in the database for five minutes and shared by all server processes.
import { isRecord } from '@millrace/contract/json'
import type { McpTool } from '@millrace/contract/mcp-servers'
import { type Connection, findCredential } from '#connections/credentials/service.ts'
import type { Member } from '#platform/core/actor.ts'
import type { Ctx, Platform } from '#platform/core/ctx.ts'
import { toStorable } from '#platform/core/storable.ts'
import { isRefused, unreachable } from './failures.ts'
import { type Parts, withSession } from './session.ts'
import * as store from './store.ts'
import { connectionTo, notConnected, type Target } from './targets.ts'

const freshMs = 5 * 60_000
const listTimeoutMs = 20_000
const maxTools = 1000
const maxBytes = 2 * 1024 * 1024
const retentionMs = 30 * 24 * 60 * 60_000

export const refreshToolsJob = 'mcp_servers.refresh_tools'

const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)

const hints = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'] as const

/** Drops everything that is not a valid tool. */
export const readTool = (given: unknown): McpTool[] => {
  if (!isRecord(given) || typeof given.name !== 'string' || given.name === '' || given.name.length > 256) return []
  const annotations = isRecord(given.annotations) ? given.annotations : {}
  const known = hints.flatMap((hint) => (typeof annotations[hint] === 'boolean' ? [[hint, annotations[hint]]] : []))
  const title = text(given.title) ?? text(annotations.title)
  return [
    {
      name: given.name,
      ...(title !== undefined && { title }),
      description: text(given.description) ?? '',
      inputSchema: isRecord(given.inputSchema) ? given.inputSchema : { type: 'object' },
      ...(isRecord(given.outputSchema) && { outputSchema: given.outputSchema }),
      ...(known.length > 0 && { annotations: Object.fromEntries(known) as Record<string, unknown> }),
    },
  ]
}

/** The first tools that fit into the limit. */
const withinBounds = (tools: readonly McpTool[]): McpTool[] => {
  let bytes = 0
  return tools.slice(0, maxTools).filter((tool) => {
    bytes += Buffer.byteLength(JSON.stringify(tool))
    return bytes <= maxBytes
  })
}

const fetchTools = async (
  parts: Parts,
  serverUrl: string,
  credential: Connection | null,
  signal?: AbortSignal,
): Promise<McpTool[]> =>
  withSession(parts, { serverUrl, credential }, { timeoutMs: listTimeoutMs, signal }, async ({ client }) => {
    const { ResultSchema } = await import('@modelcontextprotocol/sdk/types.js')
    const tools: McpTool[] = []
    for (let cursor: string | undefined; ; ) {
      const params = cursor === undefined ? {} : { cursor }
      const answer = await client.request({ method: 'tools/list', params }, ResultSchema, { timeout: listTimeoutMs })
      const page = Array.isArray(answer.tools) ? answer.tools : []
      tools.push(...toStorable(page).flatMap(readTool))
      cursor = text(answer.nextCursor)
      if (cursor === undefined || tools.length >= maxTools || page.length === 0) return withinBounds(tools)
    }
  })

const keyOf = (teamId: string, serverUrl: string, credential: Connection | null): store.ToolsKey => ({
  teamId,
  serverUrl,
  credentialId: credential?.id ?? '',
})

const findCached = async (ctx: Ctx<Member>, target: Target) => {
  const credential = await connectionTo(ctx, target)
  const key = keyOf(ctx.actor.teamId, target.serverUrl, credential)
  const cached = await store.findTools(ctx.db, key)
  const isFresh = cached !== undefined && ctx.now().getTime() - Date.parse(cached.fetched_at) < freshMs
  return { credential, key, cached, isFresh }
}

/**
 * For use inside a transaction, so it makes no request: returns the last known tools, even if outdated, and refreshes
 * them in the background; undefined if there are none.
 */
export const knownToolsOf = async (ctx: Ctx<Member>, target: Target): Promise<McpTool[] | undefined> => {
  const { key, cached, isFresh } = await findCached(ctx, target)
  if (cached && !isFresh) {
    const { teamId, serverUrl, credentialId } = key
    const payload = { team_id: teamId, server_url: serverUrl, credential_id: credentialId }
    const options = {
      key: `mcp-tools ${teamId} ${credentialId} ${serverUrl}`,
      maxAttempts: 1,
      queue: `${refreshToolsJob}:${teamId}`,
    }
    await ctx.jobs.add(ctx.db, refreshToolsJob, payload, options)
  }
  return cached?.tools
}

/** The tools that the server lists for the caller's connection. */
export const toolsOf = async (
  ctx: Ctx<Member>,
  target: Target,
  { forceRefresh = false }: { forceRefresh?: boolean } = {},
): Promise<McpTool[]> => {
  const { credential, key, cached, isFresh } = await findCached(ctx, target)
  if (cached && isFresh && !forceRefresh) return cached.tools
  const tools = await fetchTools(ctx, target.serverUrl, credential, ctx.signal).catch(async (error: unknown) => {
    throw isRefused(error) ? await notConnected(ctx, target) : unreachable(target.title, error)
  })
  await store.saveTools(ctx.db, key, tools, ctx.now().toISOString())
  return tools
}

export const refreshTools = async (platform: Platform, payload: Record<string, unknown>): Promise<void> => {
  const [teamId, serverUrl, credentialId] = [payload.team_id, payload.server_url, payload.credential_id].map(String)
  if (teamId === undefined || serverUrl === undefined) return
  const credential = credentialId ? ((await findCredential(platform, credentialId)) ?? null) : null
  if (credentialId && credential?.status !== 'connected') return
  const tools = await fetchTools(platform, serverUrl, credential).catch((error: unknown) => {
    platform.log.info({ err: error, server: serverUrl }, 'refreshing the tools of an MCP server failed')
    return undefined
  })
  if (tools)
    await store.saveTools(platform.db, keyOf(teamId, serverUrl, credential), tools, platform.now().toISOString())
}

export const sweepTools = ({ db, now }: Pick<Platform, 'db' | 'now'>): Promise<void> =>
  store.deleteOldTools(db, new Date(now().getTime() - retentionMs).toISOString())
