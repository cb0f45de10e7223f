// Rules of a workspace's MCP servers. Registration discovers how to sign in; deletion ends the connections.
import type { ListRequest, Page } from '@millrace/contract/common'
import { newId } from '@millrace/contract/ids'
import type { CreateMcpServer, McpServer, UpdateMcpServer } from '@millrace/contract/mcp-servers'
import { clientIdKeyOf } from '@millrace/contract/providers'
import { isSlug, slugMaxLength, slugOf } from '@millrace/contract/refs'
import {
  assertAddresses,
  ensureMcpProvider,
  findProvider,
  type McpServer as McpProviderOf,
  setApp,
} from '#connections/auth-providers/service.ts'
import { connectionStates, disconnectProvider } from '#connections/credentials/service.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { assertDescription } from '#platform/core/description.ts'
import { type Failure, fail, isFailure } from '#platform/core/errors.ts'
import { recordAudit } from '#platform/tenancy/audit.ts'
import { runOwnedList } from '#platform/tenancy/list/owned-list.ts'
import { columnsOf, type ListSpec } from '#platform/tenancy/list/spec.ts'
import { assertReadable, assertWritable, listedWith, listReach } from '#platform/tenancy/private-access.ts'
import { serverDto, statusOf } from './dto.ts'
import { unreachable } from './failures.ts'
import * as store from './store.ts'
import { listedServer } from './targets.ts'

const maxServers = 500

const column = columnsOf('mcp_servers')

const listSpec: ListSpec = {
  id: 'mcp_servers.id',
  columns: {
    id: column('id'),
    team_id: column('team_id'),
    user_id: column('user_id'),
    visibility: column('visibility'),
    slug: column('slug'),
    name: column('name'),
    title: column('title'),
    auth_type: column('auth_type'),
    server_url: column('server_url'),
    created_at: column('created_at', 'time'),
    updated_at: column('updated_at', 'time'),
  },
  search: ['slug', 'name', 'title', 'description'],
}

export const list = async (ctx: Ctx, request: ListRequest): Promise<Page<Partial<McpServer>>> => {
  const reach = await listReach(ctx, request, 'mcp_server')
  const states = await connectionStates(ctx)
  const rows = store.selectServers(ctx.db).where(listedWith(ctx.actor, 'mcp_servers', reach, request.permissions))
  const toItem = (row: store.ServerRow) => serverDto(row, statusOf(row.auth_type, states.get(row.provider ?? '')))
  return runOwnedList(rows, { db: ctx.db, spec: listSpec, request, toItem, notice: ctx.notice })
}

export const shown = async (ctx: Ctx, row: store.ServerRow): Promise<McpServer> =>
  serverDto(row, statusOf(row.auth_type, (await connectionStates(ctx)).get(row.provider ?? '')))

export const get = async (ctx: Ctx, id: string): Promise<McpServer> =>
  shown(ctx, await assertReadable(ctx, await store.findServer(ctx.db, id), 'MCP server'))

const invalid = (field: string, detail: string): Failure =>
  fail('validation_error', { detail: `${field} ${detail}`, meta: { field } })

const reserved = new Set(['list'])

const chosenSlug = (given: string | undefined, name: string): string => {
  const slug = given || slugOf(name) || 'server'
  if (!isSlug(slug))
    throw invalid('slug', `must be lower-case letters, digits and single hyphens, at most ${slugMaxLength} characters`)
  if (reserved.has(slug)) throw invalid('slug', `must not be the reserved word ${slug}`)
  return slug
}

const assertUrl = (field: string, text: string | undefined): void => {
  if (!text) return
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '')
    throw invalid(field, 'must be an https URL without a user name')
}

const assertFields = (body: UpdateMcpServer, storedDescription?: string): void => {
  assertDescription(body.description ?? '', storedDescription ?? '')
  for (const field of ['server_url', 'icon_url', 'documentation_url'] as const) assertUrl(field, body[field])
}

const slugTaken = (slug: string): Failure => fail('conflict', `An MCP server with the slug ${slug} already exists`)

type Registration = { slug: string; name: string; body: UpdateMcpServer & { server_url: string } }

const ownServer = ({ slug, name, body }: Registration): McpProviderOf => ({
  serverUrl: body.server_url,
  name: slug,
  displayName: body.title || name,
  ...(body.oauth_client_id && { clientId: body.oauth_client_id }),
  ...(body.auth_type && { authType: body.auth_type }),
  ...(body.default_scopes && { scopes: body.default_scopes }),
})

/** All workspaces share the provider of a listed server, but each may set its own OAuth client. */
const useOwnClient = async (ctx: Ctx, slug: string, clientId: string): Promise<void> => {
  const provider = await findProvider(ctx, ctx.actor.teamId, slug)
  if (provider) await setApp(ctx, provider, { values: { [clientIdKeyOf(slug)]: clientId }, scope: 'team' })
}

/** Discovers how to sign in unless the caller or the directory says so, and creates the provider. */
const register = async (ctx: Ctx, registration: Registration) => {
  const { name, body } = registration
  const listing = await store.findListingByUrl(ctx.db, body.server_url)
  const server = listing ? listedServer(listing) : ownServer(registration)
  const ensured = await ensureMcpProvider(ctx, server).catch((error: unknown) => {
    // Errors caused by the server's metadata are reported as they are; an unreachable server is reported as such.
    throw isFailure(error) && error.options.meta?.reason === undefined ? error : unreachable(name, error)
  })
  if (listing && ensured.auth_type === 'oauth' && body.oauth_client_id)
    await useOwnClient(ctx, ensured.provider.slug, body.oauth_client_id)
  const found = (ensured.provider?.specs ?? []).flatMap(({ scopes }) =>
    Array.isArray(scopes) ? scopes.map(String) : [],
  )
  return {
    isListed: listing !== undefined,
    columns: {
      auth_type: ensured.auth_type,
      provider: ensured.provider?.slug ?? null,
      default_scopes: body.default_scopes?.length ? [...new Set(body.default_scopes)] : found,
    },
  }
}

const audit = (ctx: Ctx, action: string, row: { id: string; team_id: string }, meta: Record<string, unknown>) =>
  recordAudit(ctx, `mcp_server.${action}`, {
    resourceType: 'mcp_server',
    resourceId: row.id,
    teamId: row.team_id,
    meta,
  })

const saved = async (ctx: Ctx, id: string): Promise<McpServer> => {
  const row = await store.findServer(ctx.db, id)
  if (!row) throw fail('internal_error', { cause: new Error('Updated MCP server does not exist') })
  return shown(ctx, row)
}

export const create = async (ctx: Ctx, body: CreateMcpServer): Promise<McpServer> => {
  const { teamId, userId } = ctx.actor
  const slug = chosenSlug(body.slug, body.name)
  assertFields(body)
  if (await store.findServerBySlug(ctx.db, teamId, slug)) throw slugTaken(slug)
  if ((await store.countServers(ctx.db, teamId)) >= maxServers)
    throw fail('limit_exceeded', `A workspace can have at most ${maxServers} MCP servers`)
  await assertAddresses(ctx, [body.server_url], 'server_url')
  const { isListed, columns } = await register(ctx, { slug, name: body.name, body })
  return ctx.tx(async (ctx) => {
    const id = newId()
    const now = ctx.now().toISOString()
    const isMade = await store.insertServer(ctx.db, {
      id,
      team_id: teamId,
      user_id: userId,
      namespace: await store.findNamespace(ctx.db, teamId),
      slug,
      name: body.name,
      title: body.title ?? '',
      description: body.description ?? '',
      icon_url: body.icon_url ?? '',
      server_url: body.server_url,
      oauth_client_id: body.oauth_client_id ?? '',
      documentation_url: body.documentation_url ?? '',
      ...columns,
      created_at: now,
      updated_at: now,
    })
    if (!isMade) throw slugTaken(slug)
    if (isListed) await store.countInstall(ctx.db, body.server_url)
    await audit(ctx, 'created', { id, team_id: teamId }, { slug, auth_type: columns.auth_type })
    return saved(ctx, id)
  })
}

/** Connections belong to a server's URL, so a new URL needs a new sign-in. */
const disconnect = async (ctx: Ctx, row: store.ServerRow): Promise<void> => {
  if (row.provider !== null && !(await store.isProviderShared(ctx.db, row.team_id, row.provider, row.id)))
    await disconnectProvider(ctx, row.provider)
}

export const update = async (ctx: Ctx, id: string, body: UpdateMcpServer): Promise<McpServer> => {
  const row = await assertWritable(ctx, await store.findServer(ctx.db, id), 'MCP server')
  assertFields(body, row.description)
  const slug = body.slug === undefined ? row.slug : chosenSlug(body.slug, body.name ?? row.name)
  const name = body.name ?? row.name
  const server_url = body.server_url ?? row.server_url
  if (server_url !== row.server_url) await assertAddresses(ctx, [server_url], 'server_url')
  const isMoved = server_url !== row.server_url || (Boolean(body.auth_type) && body.auth_type !== row.auth_type)
  const columns = isMoved
    ? (await register(ctx, { slug, name, body: { ...body, server_url } })).columns
    : { ...(body.default_scopes && { default_scopes: [...new Set(body.default_scopes)] }) }
  if ('provider' in columns && columns.provider !== row.provider) await disconnect(ctx, row)
  const { title, description, icon_url, oauth_client_id, documentation_url } = body
  const texts = { title, description, icon_url, oauth_client_id, documentation_url }
  const given = Object.fromEntries(Object.entries(texts).filter(([, value]) => value !== undefined))
  return ctx.tx(async (ctx) => {
    const change = { ...given, ...columns, slug, name, server_url, updated_at: ctx.now().toISOString() }
    if (slug !== row.slug && (await store.findServerBySlug(ctx.db, row.team_id, slug))) throw slugTaken(slug)
    if (!(await store.updateServer(ctx.db, row.id, change))) throw slugTaken(slug)
    await audit(ctx, 'updated', row, { fields: Object.keys(body) })
    return saved(ctx, row.id)
  })
}

export const remove = async (ctx: Ctx, id: string): Promise<{ success: boolean }> => {
  const row = await assertWritable(ctx, await store.findServer(ctx.db, id), 'MCP server')
  await disconnect(ctx, row)
  return ctx.tx(async (ctx) => {
    await store.deleteServer(ctx.db, row.id)
    await audit(ctx, 'deleted', row, { slug: row.slug })
    return { success: true }
  })
}
