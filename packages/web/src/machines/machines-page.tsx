// Machines for rent by price, with their price history, and the rented machines.
import type { EngineType } from '@millrace/contract/instances'
import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Server } from 'lucide-react'
import { useMemo, useState } from 'react'
import type { Listed } from '../api/list.ts'
import { read } from '../api/queries.ts'
import { moneyText } from '../money/amounts.ts'
import { useSession } from '../shell/session.tsx'
import { Button, ButtonLink } from '../ui/button.tsx'
import { Chip } from '../ui/chip.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { FilterBar, FilterChips, picked } from '../ui/filter-bar.tsx'
import { Empty, Page, Panel } from '../ui/page.tsx'
import { Badge } from '../ui/status.tsx'
import { uiStrings } from '../ui/strings.ts'
import { type Column, Table } from '../ui/table.tsx'
import { Clouds } from './clouds.tsx'
import { type MachineFilters, machineFilters, offersOf } from './filters.ts'
import { PriceHistory } from './price-history.tsx'
import { RentForm } from './rent-form.tsx'
import { RentedMachines } from './rented.tsx'
import { costOfHours } from './span.ts'
import { strings } from './strings.ts'

const gpuText = ({ configuration: { num_gpus, gpu_type, vram_per_gpu_in_gb } }: EngineType): string =>
  num_gpus === 0 ? strings.noGpu : strings.gpus(num_gpus, gpu_type, vram_per_gpu_in_gb)

const restOf = ({ vcpus, memory_in_gb, storage_in_gb }: EngineType['configuration']): string =>
  [
    vcpus > 0 ? `${vcpus} vCPU` : '',
    memory_in_gb > 0 ? `${memory_in_gb} GB` : '',
    storage_in_gb > 0 ? strings.disk(storage_in_gb) : '',
  ]
    .filter((part) => part !== '')
    .join(', ')

/** The list of offers is short and complete, sorted by price; the chips filter it. */
const listOf = (query: UseQueryResult<EngineType[]>, items: readonly EngineType[]): Listed<EngineType> => ({
  items,
  total: items.length,
  isLoading: query.isPending,
  error: query.error,
  more: null,
  isLoadingMore: false,
  refetch: () => void query.refetch(),
})

const columnsFor = (rent: (type: EngineType) => void): Column<EngineType>[] => [
  {
    id: 'machine',
    header: strings.columns.machine,
    width: '2fr',
    cell: (type) => (
      <span className="block leading-4">
        <span className="block truncate font-medium">{type.catalog_instance_type}</span>
        <span className="block truncate text-[12px] text-faint">
          {type.cloud} · {type.region}
          {type.rental_type === 'spot' ? ' · spot' : ''}
        </span>
      </span>
    ),
  },
  { id: 'gpu', header: 'GPU', width: '2fr', wide: true, cell: gpuText },
  {
    id: 'rest',
    header: strings.columns.other,
    width: '2fr',
    wide: true,
    cell: ({ configuration }) => <span className="figures">{restOf(configuration)}</span>,
  },
  {
    id: 'stock',
    header: strings.columns.stock,
    width: '80px',
    wide: true,
    cell: ({ options }) =>
      options.length > 0 ? <Badge tone="ok">{strings.available}</Badge> : <Badge>{strings.taken}</Badge>,
  },
  {
    id: 'price',
    header: strings.columns.price,
    width: '84px',
    end: true,
    cell: ({ hourly_price }) => (
      <span className="figures font-medium">{strings.perHour(moneyText(costOfHours(hourly_price, 1)))}</span>
    ),
  },
  {
    id: 'rent',
    header: '',
    width: '64px',
    end: true,
    cell: (type) => (
      <Button
        disabled={type.options.length === 0}
        onClick={() => rent(type)}
        aria-label={strings.rentThis(type.catalog_instance_type)}
      >
        {strings.rentAction}
      </Button>
    ),
  },
]

const Filters = ({ filters, gpus }: { filters: MachineFilters; gpus: readonly string[] }) => {
  const navigate = useNavigate()
  const set = (next: MachineFilters) => void navigate({ to: '/machines', search: next, replace: true })
  return (
    <FilterBar label={strings.filters}>
      <Chip on={filters.free === true} onClick={() => set(picked(filters, 'free', true))}>
        {strings.available}
      </Chip>
      <FilterChips choices={gpus} chosen={filters.gpu} onPick={(gpu) => set(picked(filters, 'gpu', gpu))} />
    </FilterBar>
  )
}

const NoCloud = ({ isOwner }: { isOwner: boolean }) => (
  <Empty
    icon={Server}
    title={strings.noCloudTitle}
    action={<ButtonLink to="/engines">{strings.openEngines}</ButtonLink>}
  >
    {strings.noCloudText(isOwner)}
  </Empty>
)

const MachinesPage = () => {
  const search = useSearch({ from: '/machines' })
  // The router passes unknown search parameters through.
  const filters = useMemo(() => machineFilters(search), [search])
  const [chosen, setChosen] = useState<EngineType | null>(null)
  const [renting, setRenting] = useState<EngineType | null>(null)
  const { isStaff } = useSession()
  const types = useQuery(read('engines.types'))
  const all = (types.data ?? []).toSorted((a, b) => a.hourly_price - b.hourly_price)
  const gpus = [...new Set(all.map(({ configuration }) => configuration.gpu_type).filter((one) => one !== ''))].sort()
  return (
    <Page title={strings.title} note={strings.note}>
      <div className="mb-4 flex flex-col gap-4 empty:hidden">
        {isStaff ? <Clouds /> : null}
        <RentedMachines />
        {all.length > 0 ? <Filters filters={filters} gpus={gpus} /> : null}
        {chosen && chosen.configuration.gpu_type !== '' ? <PriceHistory type={chosen} /> : null}
      </div>
      <Panel flush>
        <Table
          label={strings.title}
          list={listOf(types, offersOf(all, filters))}
          columns={columnsFor(setRenting)}
          rowKey={({ id, rental_type }) => `${id} ${rental_type}`}
          onOpen={setChosen}
          empty={
            all.length === 0 ? (
              <NoCloud isOwner={isStaff} />
            ) : (
              <Empty
                icon={Server}
                title={uiStrings.noResults}
                action={<ButtonLink to="/machines">{strings.showAll}</ButtonLink>}
              />
            )
          }
        />
      </Panel>
      <Dialog
        open={renting !== null}
        onClose={() => setRenting(null)}
        title={strings.rentThis(renting?.catalog_instance_type ?? '')}
      >
        {renting ? <RentForm type={renting} onDone={() => setRenting(null)} /> : null}
      </Dialog>
    </Page>
  )
}

export default MachinesPage
