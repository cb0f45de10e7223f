// What search finds, ready to be shown: grouped by kind, and where each leads. Pure.
import type { Notice } from '@millrace/contract/common'
import type { Collection, SearchHit } from '@millrace/contract/search'
import { listAddress } from '../api/list-address.ts'

export type Hit = {
  collection: Collection
  id: string
  namespace: string
  name: string
  title: string
  about: string
  /** Of entries: what kind of entry it is. */
  type: string
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '')

export const hitOf = ({ collection, id, fields }: SearchHit): Hit => ({
  collection,
  id,
  namespace: text(fields.namespace),
  name: text(fields.name),
  title: text(fields.title) || text(fields.name),
  about: text(fields.description),
  type: text(fields.type),
})

/** What the server says where meanings were not compared. */
export const wordsOnlyIn = (notices: readonly Notice[]): string | undefined =>
  notices.find(({ code }) => code === 'semantic_unavailable')?.message

export const collectionNames: Readonly<Record<Collection, string>> = {
  apps: 'Apps',
  skills: 'Skills',
  knowledge: 'Knowledge',
  agents: 'Agents',
  flows: 'Flows',
  mcp_servers: 'MCP servers',
  pages: 'Pages',
}

/** Where a hit leads; some have no page of their own. */
export const addressOf = ({ collection, id, namespace, name }: Hit): string | null => {
  switch (collection) {
    case 'apps':
      return `/apps/${encodeURIComponent(namespace)}/${encodeURIComponent(name)}`
    case 'skills':
    case 'knowledge':
      return `/knowledge/${id}`
    case 'agents':
      return `/agents/${id}`
    case 'flows':
      return `/flows/${id}`
    default:
      return null
  }
}

/** What of everything is searched, as the address says it. */
export const searchAddress = listAddress({ kind: collectionNames })
