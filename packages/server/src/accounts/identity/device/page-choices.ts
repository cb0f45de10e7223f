// What the approval page offers: access by preset and lifetime. Pure.
import { allScopes, isSignInOnly, scopeCatalog } from '@millrace/contract/scopes'

export type AccessChoice = {
  readonly id: string
  readonly label: string
  readonly description: string
  /** Undefined: full access. */
  readonly scopes: readonly string[] | undefined
}

const presetChoice = (id: 'run-only' | 'read'): AccessChoice[] =>
  scopeCatalog.presets.filter((preset) => preset.id === id)

/** The first is chosen to begin with. A legacy key is offered no sign-in-only scope, because it could not hold it. */
export const accessChoices = (tokenKind: 'session' | 'api_key'): readonly AccessChoice[] => {
  const forKey = tokenKind === 'api_key'
  return [
    {
      id: forKey ? 'standard' : 'login',
      label: 'Standard',
      description: forKey
        ? 'Everything day-to-day work needs'
        : 'Everything day-to-day work needs, and answering approvals',
      scopes: scopeCatalog.grants.filter((scope) => !forKey || !isSignInOnly(scope)),
    },
    ...presetChoice('run-only'),
    ...presetChoice('read'),
    {
      id: 'full',
      label: 'Full access',
      description: forKey ? 'Everything a key can hold' : 'Everything you may do yourself, your account included',
      scopes: undefined,
    },
  ]
}

/** The scopes a program asked for, as the address of the page names them; unknown words are left out. */
export const readAsked = (words: string): string[] => {
  const named = new Set(words.split(/[\s+,]+/))
  return allScopes.filter((scope) => named.has(scope))
}

/** The only choice when a program has said what it needs. */
export const askedChoice = (scopes: readonly string[]): AccessChoice => ({
  id: 'asked',
  label: 'What this command needs',
  description: scopes.join(', '),
  scopes,
})

/** Undefined when the page offers nothing of this name. */
export const findAccessChoice = (id: unknown): AccessChoice | undefined =>
  [...accessChoices('session'), ...accessChoices('api_key')].find((choice) => choice.id === id)

/** The scopes a choice amounts to, for the list that can be opened on the page. */
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
