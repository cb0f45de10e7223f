// The catalogue of well-known services: their addresses, their sign-in methods, and the standard names of their keys.
// Constants only: the platform rows of auth providers are seeded from it, and standard secret names are recognized by
// it. It is a separate feature because both secrets and auth providers read it.
import type { ListedProvider, SecretField } from '@millrace/contract/providers'
import { modelProviders } from './models.ts'
import { firstServices } from './services-a-to-h.ts'
import { otherServices } from './services-i-to-z.ts'

/** In byte order of the slug. */
export const listedProviders: readonly ListedProvider[] = [...modelProviders, ...firstServices, ...otherServices].sort(
  (a, b) => (a.slug < b.slug ? -1 : 1),
)

const bySlug = new Map(listedProviders.map((provider) => [provider.slug, provider]))

export const findListedProvider = (slug: string): ListedProvider | undefined => bySlug.get(slug)

const keyFields = (provider: ListedProvider): readonly SecretField[] =>
  provider.specs.flatMap((method) => (method.kind === 'oauth2' ? [] : method.fields))

const bySecretName = new Map(
  listedProviders.flatMap((provider) => keyFields(provider).map(({ key }) => [key, provider] as const)),
)

/** The listed provider whose standard key has this name. Field names of OAuth apps belong to no provider. */
export const providerOfSecretName = (name: string): ListedProvider | undefined => bySecretName.get(name)
