// Search over everything that can be found, and suggestions made of it.
import type { Feature } from '../core/feature.ts'
import { startEmbedding } from './meaning.ts'
import { searchOperations } from './operations.ts'
import { sweepSearch } from './suggest.ts'

export const searchFeature: Feature = {
  name: 'search',
  operations: searchOperations,
  listening: startEmbedding,
  crons: (platform) => [{ name: 'search.sweep', schedule: '13 * * * *', handler: () => sweepSearch(platform) }],
}
