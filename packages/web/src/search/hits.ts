// Search results, ready to be shown: grouped by type, with their addresses. Pure.
import type { Notice } from '@millrace/contract/common'
import type { Collection, SearchHit } from '@millrace/contract/search'
import { listAddress } from '../api/list-address.ts'
import { strings } from './strings.ts'

export type Hit = {
  collection: Collection
  id: string
  namespace: string
  name: string
  title: string
  about: string
  /** The type of a knowledge entry. */
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

/** The notice of the server when it did not compare meanings. */
export const wordsOnlyIn = (notices: readonly Notice[]): string | undefined =>
  notices.find(({ code }) => code === 'semantic_unavailable')?.message

export const collectionNames: Readonly<Record<Collection, string>> = strings.collections

/** The address of a result. Some types have no page of their own. */
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

/** The searched type, as it appears in the address. */
export const searchAddress = listAddress({ kind: collectionNames })
