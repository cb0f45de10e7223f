// Resources that an entry mentions, and entries that mention it. Readers see only what they may read without an
// administrator's bypass.
import type { References, ResourceRef } from '@millrace/contract/knowledge'
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { readableBy } from '#platform/tenancy/visibility.ts'
import { type IndexedResource, readableById, readableByRef } from '../search/service.ts'
import { asEntry, findReadable } from './lookup.ts'
import { type Mention, mentionsIn } from './mentions.ts'
import { findMentioning, findTargets, replaceReferences } from './references-store.ts'

const kindsOf: Record<string, readonly string[]> = {
  knowledge: ['knowledge', 'skill'],
  skill: ['skill'],
  app: ['app'],
  agent: ['agent'],
}
/** The order in which a ref without a type is resolved when several resources have the name. */
const anyKind = ['knowledge', 'skill', 'app', 'agent']

const meant = (mention: Mention, resources: readonly IndexedResource[]): IndexedResource | undefined => {
  const kinds = mention.type === null ? anyKind : (kindsOf[mention.type] ?? [])
  return resources
    .filter(
      ({ namespace, name, kind }) => namespace === mention.namespace && name === mention.name && kinds.includes(kind),
    )
    .sort((a, b) => kinds.indexOf(a.kind) - kinds.indexOf(b.kind))[0]
}

/** Resolves the mentions in the texts of a new version. Mentions that do not resolve now are not retried. */
export const saveReferences = async (ctx: Ctx, knowledgeId: string, texts: readonly string[]): Promise<void> => {
  const mentions = mentionsIn(texts.join('\n\n'), ctx.settings.BASE_URL)
  const readable = await readableByRef(ctx, mentions)
  const targets = mentions.flatMap((mention) => meant(mention, readable)?.id ?? [])
  await replaceReferences(
    ctx.db,
    knowledgeId,
    [...new Set(targets)].filter((id) => id !== knowledgeId),
  )
}

const refDto = ({ id, namespace, name, kind, resource_kind, description }: IndexedResource): ResourceRef => ({
  id,
  namespace,
  name,
  type: kind === 'app' || kind === 'agent' ? kind : 'knowledge',
  resource_kind: kind === 'agent' ? 'agent' : resource_kind,
  description,
})

const maxShown = 1000

const shown = async (ctx: Ctx<Actor>, ids: readonly string[]): Promise<ResourceRef[]> =>
  (await readableById(ctx, ids)).map(refDto)

export const references = async (ctx: Ctx<Actor>, id: string): Promise<References> => {
  const entry = await findReadable(ctx, asEntry, id)
  const { namespace, name, type, description } = entry
  return {
    resource: { id: entry.id, namespace, name, type: 'knowledge', resource_kind: type, description },
    references: await shown(ctx, await findTargets(ctx.db, entry.id)),
    referenced_by: await shown(
      ctx,
      await findMentioning(ctx.db, entry.id, readableBy(ctx.actor, 'knowledge'), maxShown),
    ),
  }
}
