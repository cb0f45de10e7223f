// Guarantees: the address determines the shown machines; invalid values are ignored.
import type { EngineType } from '@millrace/contract/instances'
import { expect, it } from 'vitest'
import { machineFilters, offersOf } from './filters.ts'

const offer = (gpu_type: string, places: number) => ({
  configuration: { gpu_type },
  options: Array.from({ length: places }) as EngineType['options'],
})
const [small, big, taken] = [offer('', 1), offer('H100', 1), offer('H100', 0)]

it.each([
  [{}, [small, big, taken]],
  [{ gpu: 'H100' }, [big, taken]],
  [{ free: true }, [small, big]],
  [{ gpu: 'H100', free: true }, [big]],
  [{ gpu: ['H100'], free: 'yes', more: 1 }, [small, big, taken]],
])('%j', (search, shown) => {
  expect(offersOf([small, big, taken], machineFilters(search))).toEqual(shown)
})
