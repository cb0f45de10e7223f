// Derives from the table of scopes: which credentials may have which scopes, the presets, and the reply of GET /scopes.
// scopes.ts decides what a credential has.
import { type Flags, scopeTable } from './scope-table.ts'

/** Every action scope: `resource:action`. */
export type Scope = (typeof scopeTable)[number]['scopes'][number]['value']

/**
 * Scopes for all actions of a resource, of those that keys can have anywhere. `templates` is obsolete and grants
 * nothing.
 */
export const resourceScopes = [
  'agents',
  'apps',
  'conversations',
  'files',
  'datastores',
  'templates',
  'flows',
  'projects',
  'teams',
  'billing',
  'secrets',
  'integrations',
  'credentials',
  'knowledge',
  'artifacts',
  'remotes',
  'settings',
] as const
export type ResourceScope = (typeof resourceScopes)[number]

/** The entries of a credential's scope list. */
export type ScopeText = Scope | ResourceScope | '*'

export type ScopeRow = Flags & {
  readonly value: Scope
  readonly label: string
  readonly description: string
  readonly group: string
}
export type ScopeGroup = {
  readonly id: string
  readonly label: string
  readonly description: string
  readonly public_rows?: true
}
export type ScopePreset = {
  readonly id: 'standard' | 'run-only' | 'read' | 'engine'
  readonly label: string
  readonly description: string
  readonly summary: string[]
  readonly scopes: Scope[]
}

const rows: readonly ScopeRow[] = scopeTable.flatMap((group) =>
  group.scopes.map((scope): ScopeRow => ({ ...scope, group: group.id })),
)
const rowByScope: ReadonlyMap<string, ScopeRow> = new Map(rows.map((scope) => [scope.value, scope]))
const words: ReadonlySet<string> = new Set<string>([...resourceScopes, '*'])

const valuesWhere = (test: (scope: ScopeRow) => boolean): Scope[] => rows.filter(test).map((scope) => scope.value)

export const allScopes: readonly Scope[] = valuesWhere(() => true)
export const engineScopes: readonly Scope[] = valuesWhere((scope) => scope.engine === true)
export const storeScopes: readonly Scope[] = valuesWhere((scope) => scope.store === true)

export const isScope = (text: string): text is Scope => rowByScope.has(text)
export const isKnownScope = (text: string): text is ScopeText => rowByScope.has(text) || words.has(text)
export const isSignInOnly = (scope: string): boolean => rowByScope.get(scope)?.signInOnly === true
export const isEngineScope = (scope: string): boolean => rowByScope.get(scope)?.engine === true
export const isStoreScope = (scope: string): boolean => rowByScope.get(scope)?.store === true
export const isAdminScope = (scope: string): boolean => rowByScope.get(scope)?.group === 'admin'
/** True if a read without the scope returns public rows. */
export const canBePublicRead = (scope: string): boolean => rowByScope.get(scope)?.canBePublicRead === true

/** The scope for all actions of a scope's resource, if it exists. */
export const resourceOf = (scope: Scope): string => scope.slice(0, scope.indexOf(':'))

const standardScopes = valuesWhere(
  (scope) => !scope.signInOnly && !scope.engine && !scope.store && scope.value !== 'secrets:reveal',
)

const presets: readonly ScopePreset[] = [
  {
    id: 'standard',
    label: 'Standard',
    description: 'Everything needed for day-to-day work',
    summary: [
      'Read and change everything in the workspace',
      'Run apps, agents and flows',
      'No engines, no keys, no account',
    ],
    scopes: standardScopes,
  },
  {
    id: 'run-only',
    label: 'Run only',
    description: 'Run existing apps, agents and flows without changing them',
    summary: ['Run apps and agents', 'Take part in conversations', 'Upload files as input'],
    scopes: [
      'apps:read',
      'apps:execute',
      'agents:read',
      'agents:execute',
      'conversations:read',
      'conversations:write',
      'files:write',
    ],
  },
  {
    id: 'read',
    label: 'Read only',
    description: 'Read without changing or running anything',
    summary: ['Read the work of the workspace', 'No secrets, keys or billing'],
    scopes: [
      'agents:read',
      'apps:read',
      'conversations:read',
      'files:read',
      'flows:read',
      'datastores:read',
      'projects:read',
      'teams:read',
      'credentials:read',
      'knowledge:read',
      'artifacts:read',
      'settings:read',
    ],
  },
  {
    id: 'engine',
    label: 'Engine',
    description: 'For a machine that runs apps',
    summary: ['Register and serve as an engine', 'Run apps'],
    scopes: ['engines:read', 'engines:write', 'apps:execute'],
  },
]

const groups: readonly ScopeGroup[] = scopeTable.map(({ id, label, description, scopes }) => ({
  id,
  label,
  description,
  ...(scopes.some((scope) => canBePublicRead(scope.value)) ? { public_rows: true as const } : {}),
}))

export const scopeCatalog = {
  scopes: rows,
  groups,
  presets,
  login_preset: 'standard' as const,
  grants: [...standardScopes, 'approvals:write'] satisfies Scope[],
}

export type CatalogViewer = {
  readonly engineScopes: boolean
  /** The store scopes that the viewer has. */
  readonly storeScopes: readonly Scope[]
  readonly staff: boolean
}

export type ScopeCatalogBody = {
  scopes: { value: Scope; label: string; description: string; group: string }[]
  groups: ScopeGroup[]
  presets: ScopePreset[]
  account_scopes: { value: Scope; label: string; description: string; group: string }[]
  account_groups: ScopeGroup[]
  login_preset: ScopePreset['id']
  grants: Scope[]
}

/** The reply of GET /scopes: only scopes that would not be rejected for this viewer. */
export const scopeCatalogFor = (viewer: CatalogViewer): ScopeCatalogBody => {
  const shown = rows.filter(
    (scope) =>
      (!scope.engine || viewer.engineScopes) &&
      (!scope.store || viewer.storeScopes.includes(scope.value)) &&
      (!isAdminScope(scope.value) || viewer.staff),
  )
  const present = (signInOnly: boolean) => {
    const part = shown
      .filter((scope) => (scope.signInOnly === true) === signInOnly)
      .map(({ value, label, description, group }) => ({ value, label, description, group }))
    return { scopes: part, groups: groups.filter((group) => part.some((scope) => scope.group === group.id)) }
  }
  const forKeys = present(false)
  const forAccounts = present(true)
  return {
    scopes: forKeys.scopes,
    groups: forKeys.groups,
    presets: presets.filter((preset) => preset.id !== 'engine' || viewer.engineScopes),
    account_scopes: forAccounts.scopes,
    account_groups: forAccounts.groups,
    login_preset: scopeCatalog.login_preset,
    grants: scopeCatalog.grants,
  }
}
