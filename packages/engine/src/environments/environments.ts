// Prepares each bundle's environment once for all workers that request it at the same time. A cancelled task stops
// waiting, but the installation continues for the next task.

import type { Kernel } from '@millrace/contract/inf-yml'
import type { EnvironmentHost, Prepared } from './environment.ts'
import { prepareNode } from './node-environment.ts'
import { preparePython } from './python-environment.ts'
import { findMissing } from './system-packages.ts'

export type EnvironmentRequest = { bundle: string; kernel: Kernel; onLine: (line: string) => void }
export type Environments = { prepare: (request: EnvironmentRequest) => Promise<Prepared> }

export const createEnvironments = (host: EnvironmentHost, signal: AbortSignal): Environments => {
  const underway = new Map<string, Promise<Prepared>>()
  return {
    prepare: (request) => {
      const known = underway.get(request.bundle)
      if (known) return known
      const prepare = request.kernel.language === 'node' ? prepareNode : preparePython
      const made = findMissing({ ...request, signal }, host)
        .then(async (missing) => ({ ...(await prepare({ ...request, signal }, host)), missing }))
        .finally(() => underway.delete(request.bundle))
      underway.set(request.bundle, made)
      return made
    },
  }
}
