// Apps: publishing, versions, refs and the store.
import type { Feature } from '#platform/core/feature.ts'
import { appOperations } from './operations.ts'
import { startShippedApps } from './shipped.ts'
import { countPrivateApps } from './store.ts'
import { storeOperations } from './store-operations.ts'

export const appsFeature: Feature = {
  name: 'apps',
  operations: [...appOperations, ...storeOperations],
  usage: { private_apps: countPrivateApps },
  listening: startShippedApps,
}
