// Valid slugs of providers, and the names derived from a slug. Pure.
import { isProviderSlug, secretPrefixOf } from '@millrace/contract/providers'
import { findListedProvider, providerOfSecretName } from '../provider-catalogue/service.ts'

/** Path segments used by other credential routes. */
const routeWords = new Set(['app', 'scopes', 'list', 'available', 'configs', 'capabilities', 'check', 'oauth'])

/** Ways to sign in that the server knows without a row. */
export const builtInSlugs = { serviceAccount: 'google-sa', workloadIdentity: 'gcp', mcp: 'mcp' } as const

const builtIn = new Set<string>(Object.values(builtInSlugs))

export type SlugRefusal = { code: 'validation_error' | 'conflict'; detail: string }

export const refuseSlug = (slug: string, scope: 'team' | 'platform'): SlugRefusal | null => {
  if (!isProviderSlug(slug))
    return {
      code: 'validation_error',
      detail: '`slug` must be lowercase letters, digits and single hyphens, at most 64 characters',
    }
  if (routeWords.has(slug)) return { code: 'validation_error', detail: `\`slug\` cannot be the reserved word ${slug}` }
  if (builtIn.has(slug)) return { code: 'conflict', detail: `The slug ${slug} is built in` }
  if (scope === 'team' && findListedProvider(slug))
    return { code: 'conflict', detail: `The slug ${slug} belongs to a listed provider` }
  return null
}

/** The environment variable of a field: the standard name for a listed provider, otherwise prefixed with the slug. */
export const environmentName = (slug: string, key: string): string => {
  const prefix = `${secretPrefixOf(slug)}_`
  return key.startsWith(prefix) || providerOfSecretName(key)?.slug === slug ? key : `${prefix}${key}`
}

export const stepsOf = (text: string | readonly string[] | undefined): string[] | undefined => {
  if (text === undefined) return undefined
  const lines = typeof text === 'string' ? text.split('\n') : text
  return lines.map((line) => line.trim()).filter((line) => line !== '')
}
