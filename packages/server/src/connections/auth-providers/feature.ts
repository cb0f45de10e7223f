// Auth providers: how to sign in to other services.
import type { Feature } from '#platform/core/feature.ts'
import { findIconLater, iconJob } from './icons.ts'
import { authProviderOperations } from './operations.ts'
import { seedProviders } from './seed.ts'

export const authProvidersFeature: Feature = {
  name: 'auth-providers',
  operations: authProviderOperations,
  jobs: (platform) => ({
    [iconJob]: ({ provider_id }) => findIconLater(platform, String(provider_id)),
  }),
  start: async (platform) => {
    await seedProviders(platform)
    return async () => {}
  },
}
