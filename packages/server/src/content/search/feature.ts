// Search and suggestions.
import type { Feature } from '#platform/core/feature.ts'
import { startEmbedding } from './embedding/embedding.ts'
import { openMemory, startRefreshing } from './memory/memory.ts'
import { searchOperations } from './operations.ts'
import { seedPages } from './pages.ts'
import { sweepSearch } from './sweep.ts'

export const searchFeature: Feature = {
  name: 'search',
  operations: searchOperations,
  start: async (platform) => {
    const closeMemory = openMemory(platform)
    await seedPages(platform)
    return closeMemory
  },
  listening: async (platform) => {
    if (!platform.settings.SEARCH) return async () => {}
    const stopRefreshing = startRefreshing(platform)
    const stopEmbedding = await startEmbedding(platform)
    return async () => {
      stopRefreshing()
      await stopEmbedding()
    }
  },
  crons: (platform) => [{ name: 'search.sweep', schedule: '13 * * * *', handler: () => sweepSearch(platform) }],
}
