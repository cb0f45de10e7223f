// The console: static files and the page that uses them.
import type { Feature } from '../core/feature.ts'
import { consoleRoutes } from './routes.ts'

export const consoleFeature: Feature = {
  name: 'console',
  operations: [],
  routes: ({ settings }) => consoleRoutes(settings),
}
