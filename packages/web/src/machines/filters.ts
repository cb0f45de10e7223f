// The filters of the machine list, from the address. Pure.
import type { EngineType } from '@millrace/contract/instances'
import { present } from '../api/address-filters.ts'

export type MachineFilters = { gpu?: string; free?: true }

/** Reads the address and leaves out invalid values. */
export const machineFilters = (search: Record<string, unknown>): MachineFilters =>
  present({
    gpu: typeof search.gpu === 'string' && /^[\w .+-]{1,64}$/.test(search.gpu) ? search.gpu : undefined,
    free: search.free === true ? (true as const) : undefined,
  })

type Offer = Pick<EngineType, 'options'> & { configuration: Pick<EngineType['configuration'], 'gpu_type'> }

export const offersOf = <T extends Offer>(types: readonly T[], { gpu, free }: MachineFilters): T[] =>
  types.filter(
    ({ configuration, options }) =>
      (gpu === undefined || configuration.gpu_type === gpu) && (free === undefined || options.length > 0),
  )
