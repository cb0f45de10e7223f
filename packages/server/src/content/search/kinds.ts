// The kinds of documents. A feature adds a row here, and a view and triggers in a migration (`search_index`); from then
// on, every change of its table updates the index.
import type { Scope } from '@millrace/contract/scopes'
import type { Collection, SuggestType } from '@millrace/contract/search'

export type SearchKind = {
  /** The name in the index. */
  readonly kind: string
  readonly collection: Collection
  /** The type of suggestions; null if the kind is only searched. */
  readonly suggestedAs: SuggestType | null
  /** Without this scope, a caller finds only public rows; null if all rows are public. */
  readonly readScope: Scope | null
  /** A command that works as shown. */
  readonly command: (ref: string) => string
}

/** For kinds without a command of their own. */
const byName = (operation: string, ref: string): string => {
  const [namespace, name] = ref.split('/')
  return `millrace api ${operation} --namespace ${namespace} --name ${name}`
}

export const searchKinds: readonly SearchKind[] = [
  {
    kind: 'app',
    collection: 'apps',
    suggestedAs: 'app',
    readScope: 'apps:read',
    command: (ref) => `millrace run ${ref}`,
  },
  {
    kind: 'skill',
    collection: 'skills',
    suggestedAs: 'skill',
    readScope: 'knowledge:read',
    command: (ref) => `millrace skill show ${ref}`,
  },
  {
    kind: 'knowledge',
    collection: 'knowledge',
    suggestedAs: 'knowledge',
    readScope: 'knowledge:read',
    command: (ref) => `millrace knowledge show ${ref}`,
  },
  {
    kind: 'agent',
    collection: 'agents',
    suggestedAs: 'agent',
    readScope: 'agents:read',
    command: (ref) => `millrace agent run ${ref}`,
  },
  {
    kind: 'flow',
    collection: 'flows',
    suggestedAs: null,
    readScope: 'flows:read',
    command: (ref) => byName('flows.get_by_ref', ref),
  },
  {
    kind: 'mcp',
    collection: 'mcp_servers',
    suggestedAs: 'mcp',
    readScope: 'credentials:read',
    command: (ref) => `millrace api mcps.get --slug ${ref.split('/')[1]}`,
  },
  {
    kind: 'page',
    collection: 'pages',
    suggestedAs: 'doc',
    readScope: null,
    command: (ref) => `millrace open ${ref}`,
  },
]
