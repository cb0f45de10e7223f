// What search finds, ready to be shown: grouped by kind, with the words that were asked for marked. Pure.
import type { Notice } from '@millrace/contract/common'
import type { Collection, SearchHit } from '@millrace/contract/search'

export type Hit = { collection: Collection; id: string; namespace: string; name: string; title: string; about: string }

const text = (value: unknown): string => (typeof value === 'string' ? value : '')

export const hitOf = ({ collection, id, fields }: SearchHit): Hit => ({
  collection,
  id,
  namespace: text(fields.namespace),
  name: text(fields.name),
  title: text(fields.title) || text(fields.name),
  about: text(fields.description),
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

export type Piece = { text: string; marked: boolean }

/** The text in pieces, those that begin as a word of the question does being marked. */
export const marked = (text: string, query: string): Piece[] => {
  const words = query
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word.length > 1)
  return text
    .split(/([\p{L}\p{N}]+)/u)
    .filter((piece) => piece !== '')
    .map((piece) => ({ text: piece, marked: words.some((word) => piece.toLowerCase().startsWith(word)) }))
}
