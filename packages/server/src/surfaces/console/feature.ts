// The console: static files and the page that uses them.
import type { Feature } from '#platform/core/feature.ts'
import { consoleRoutes } from './routes.ts'

export const consoleFeature: Feature = {
  name: 'console',
  operations: [],
  // Public files; the page gets its data from the API.
  declaredRoutes: [
    { name: 'console.page', route: 'GET /console', access: 'public' },
    { name: 'console.files', route: 'GET /console/*', access: 'public' },
  ],
  routes: ({ settings }) => consoleRoutes(settings),
}
