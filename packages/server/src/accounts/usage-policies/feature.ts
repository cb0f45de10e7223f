// Usage policies: which resources a workspace may use. There is no API; the operator sets them by command.

import type { Feature } from '#platform/core/feature.ts'
import { accessSubject } from '../access/service.ts'
import { forgetPolicy } from './service.ts'

export const usagePoliciesFeature: Feature = {
  name: 'usage-policies',
  operations: [],
  start: async (platform) => {
    const stop = platform.bus.subscribe(accessSubject, (id) => forgetPolicy(platform, id))
    return async () => stop()
  },
}
