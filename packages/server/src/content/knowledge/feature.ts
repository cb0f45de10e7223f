// Knowledge entries and skills.
import type { Feature } from '#platform/core/feature.ts'
import { knowledgeOperations } from './operations.ts'
import { contentRoutes } from './routes.ts'
import { skillOperations } from './skill-operations.ts'
import { countEntries } from './store.ts'
import { sweepDeleted } from './sweep.ts'

export const knowledgeFeature: Feature = {
  name: 'knowledge',
  operations: [...knowledgeOperations, ...skillOperations],
  declaredRoutes: [
    { name: 'knowledge.content_file', route: 'GET /knowledge/:id/contents/:hash', access: 'signed link' },
  ],
  routes: contentRoutes,
  usage: { knowledge_bases: countEntries },
  crons: (platform) => [{ name: 'knowledge.sweep', schedule: '41 3 * * *', handler: () => sweepDeleted(platform) }],
}
