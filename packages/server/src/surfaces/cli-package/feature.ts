// The CLI of this server's version, for `npm install --global <server>/cli/millrace.tgz`.
import type { Feature } from '#platform/core/feature.ts'
import { cliPackageRoutes } from './routes.ts'

export const cliPackageFeature: Feature = {
  name: 'cli-package',
  operations: [],
  declaredRoutes: [{ name: 'cli.package', route: 'GET /cli/millrace.tgz', access: 'public' }],
  routes: () => cliPackageRoutes(),
}
