// The choices of the approval page: access presets and lifetimes. Pure.
import { allScopes, isSignInOnly, type Scope, scopeCatalog } from '@millrace/contract/scopes'

export type AccessChoice = {
  readonly id: string
  readonly label: string
  readonly description: string
  /** Undefined means full access. */
  readonly scopes: readonly string[] | undefined
}

const presetChoice = (id: 'run-only' | 'read'): AccessChoice[] =>
  scopeCatalog.presets.filter((preset) => preset.id === id)

/** The first is preselected. A legacy key is not offered sign-in-only scopes, because it cannot have them. */
export const accessChoices = (tokenKind: 'session' | 'api_key'): readonly AccessChoice[] => {
  const forKey = tokenKind === 'api_key'
  return [
    {
      id: forKey ? 'standard' : 'login',
      label: 'Standard',
      description: forKey
        ? 'Everything needed for day-to-day work'
        : 'Everything needed for day-to-day work, and answering approvals',
      scopes: scopeCatalog.grants.filter((scope) => !forKey || !isSignInOnly(scope)),
    },
    ...presetChoice('run-only'),
    ...presetChoice('read'),
    {
      id: 'full',
      label: 'Full access',
      description: forKey ? 'Everything a key can have' : 'Everything you can do yourself, including your account',
      scopes: undefined,
    },
  ]
}

/** The scopes that a client names in an OAuth `scope` parameter: scopes and whole resources. Unknown words are ignored. */
export const readScopes = (words: string): Scope[] => {
  const named = new Set(words.split(/\s+/))
  return allScopes.filter((scope) => named.has(scope) || named.has(scope.split(':')[0] ?? ''))
}

export type RequestedAccess = {
  readonly token_kind: 'session' | 'api_key'
  readonly requested_scopes: readonly string[]
  readonly offers_presets: boolean
}

/** The choices for one device; the first is preselected. */
export const choicesFor = ({
  token_kind,
  requested_scopes: scopes,
  offers_presets,
}: RequestedAccess): AccessChoice[] => {
  const presets = accessChoices(token_kind)
  if (scopes.length === 0) return [...presets]
  const requested = { id: 'requested', label: 'Requested scopes', description: scopes.join(', '), scopes }
  return offers_presets ? [requested, ...presets] : [requested]
}

/** Undefined when the page offers no such choice. */
export const findAccessChoice = (id: unknown): AccessChoice | undefined =>
  [...accessChoices('session'), ...accessChoices('api_key')].find((choice) => choice.id === id)

/** The scopes of a choice, for the expandable list on the page. */
export const scopesShown = ({ scopes }: AccessChoice, tokenKind: 'session' | 'api_key') => {
  const shown = scopes ?? allScopes.filter((scope) => tokenKind === 'session' || !isSignInOnly(scope))
  return scopeCatalog.scopes.filter(({ value }) => shown.includes(value))
}

const hour = 3600
const day = 24 * hour

export const lifetimeChoices = [
  { seconds: hour, label: '1 hour' },
  { seconds: day, label: '1 day' },
  { seconds: 7 * day, label: '1 week' },
  { seconds: 30 * day, label: '30 days' },
  { seconds: 90 * day, label: '90 days' },
  { seconds: 365 * day, label: '1 year' },
] as const

export const lifetimeDefault = 365 * day
