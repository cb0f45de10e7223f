// The models that a caller can name: agents, and apps that answer as models.
import type { OpenAiModel } from '@millrace/contract/openai'
import { modelCreatedAt } from '#agents/chats/service.ts'
import type { Actor, Member } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { invoke } from '#platform/core/invoke.ts'

const pageSize = 100
const maxModels = 1000

type Row = { namespace?: string; name?: string; created_at?: string }
type Page = { items: Row[]; next_cursor?: string | null; has_next?: boolean }

const modelOf = ({ namespace = '', name = '', created_at = '' }: Row): OpenAiModel => ({
  id: `${namespace}/${name}`,
  object: 'model',
  created: Math.floor(Date.parse(created_at) / 1000) || 0,
  owned_by: namespace,
})

/** All pages of a list operation, with its checks. */
const listAll = async (ctx: Ctx<Actor>, name: string, filters: readonly object[]): Promise<Row[]> => {
  const operation = ctx.operations.find((one) => one.name === name)
  if (!operation) throw new Error(`There is no operation ${name}`)
  const rows: Row[] = []
  const fields = ['id', 'namespace', 'name', 'created_at']
  for (let cursor: string | undefined; rows.length < maxModels; ) {
    const body = { limit: pageSize, fields, filters, ...(cursor !== undefined && { cursor }) }
    const { origin, signal, log, actor } = ctx
    const { data } = await invoke(ctx, operation, { actor, origin, signal, log, input: { body } })
    const page = data as Page
    rows.push(...page.items)
    if (!page.has_next || !page.next_cursor) break
    cursor = page.next_cursor
  }
  return rows.slice(0, maxModels)
}

export const listModels = async (ctx: Ctx<Actor>): Promise<OpenAiModel[]> => {
  const agents = await listAll(ctx, 'agents.list', [])
  const apps = await listAll(ctx, 'apps.list', [{ field: 'category', operator: 'eq', value: 'chat' }])
  return [...agents, ...apps].map(modelOf)
}

export const getModel = async (ctx: Ctx<Member>, name: string): Promise<OpenAiModel> => {
  const createdAt = await modelCreatedAt(ctx, name)
  return {
    id: name,
    object: 'model',
    created: Math.floor(Date.parse(createdAt) / 1000),
    owned_by: name.split('/')[0] ?? '',
  }
}
