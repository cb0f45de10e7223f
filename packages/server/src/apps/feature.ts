// Apps: publishing, versions, refs and the store.
import type { Feature } from '../core/feature.ts'
import { appOperations } from './operations.ts'
import { startShippedApps } from './shipped.ts'
import { countPrivateApps } from './store.ts'

export const appsFeature: Feature = {
  name: 'apps',
  operations: appOperations,
  usage: { private_apps: countPrivateApps },
  listening: startShippedApps,
}
