// Search over everything that can be found, and suggestions made of it.
import type { Feature } from '../core/feature.ts'
import { startEmbedding } from './embedding.ts'
import { searchOperations } from './operations.ts'
import { seedPages } from './pages.ts'
import { sweepSearch } from './sweep.ts'

export const searchFeature: Feature = {
  name: 'search',
  operations: searchOperations,
  start: async (platform) => {
    await seedPages(platform)
    return async () => {}
  },
  listening: startEmbedding,
  crons: (platform) => [{ name: 'search.sweep', schedule: '13 * * * *', handler: () => sweepSearch(platform) }],
}
