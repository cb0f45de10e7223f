// Machines that can be rented, by price, with what such a machine has cost over time, and those that are rented.
import type { EngineType } from '@millrace/contract/instances'
import { useQuery } from '@tanstack/react-query'
import { Server } from 'lucide-react'
import { useState } from 'react'
import { read } from '../api/queries.ts'
import { moneyText } from '../money/amounts.ts'
import { useSession } from '../shell/session.tsx'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { CheckField, SelectField } from '../ui/field.tsx'
import { Empty, Page, Panel, ProblemNote, SkeletonRows } from '../ui/page.tsx'
import { Badge } from '../ui/status.tsx'
import { Clouds } from './clouds.tsx'
import { PriceHistory } from './price-history.tsx'
import { RentForm } from './rent-form.tsx'
import { RentedMachines } from './rented.tsx'
import { costOfHours } from './span.ts'

const gpuText = ({ configuration: { num_gpus, gpu_type, vram_per_gpu_in_gb } }: EngineType): string =>
  num_gpus === 0 ? 'no GPU' : `${num_gpus} × ${gpu_type}, ${vram_per_gpu_in_gb} GB each`

const restOf = ({ vcpus, memory_in_gb, storage_in_gb }: EngineType['configuration']): string =>
  [
    vcpus > 0 ? `${vcpus} vCPU` : '',
    memory_in_gb > 0 ? `${memory_in_gb} GB` : '',
    storage_in_gb > 0 ? `${storage_in_gb} GB disk` : '',
  ]
    .filter((part) => part !== '')
    .join(', ')

const Row = ({
  type,
  chosen,
  choose,
  rent,
}: {
  type: EngineType
  chosen: boolean
  choose: () => void
  rent: () => void
}) => {
  const { configuration: has } = type
  const isFree = type.options.length > 0
  return (
    <tr className="border-b last:border-0 hover:bg-hover">
      <td className="px-3 py-2">
        <button type="button" aria-pressed={chosen} className="text-left font-medium hover:underline" onClick={choose}>
          {type.catalog_instance_type}
        </button>
        <span className="block text-[12px] text-faint">
          {type.cloud} · {type.region}
          {type.rental_type === 'spot' ? ' · spot' : ''}
        </span>
        <span className="block text-[12px] text-soft md:hidden">{gpuText(type)}</span>
      </td>
      <td className="px-3 py-2 max-md:hidden">{gpuText(type)}</td>
      <td className="figures px-3 py-2 max-md:hidden">{restOf(has)}</td>
      <td className="px-3 py-2">{isFree ? <Badge tone="ok">free now</Badge> : <Badge>taken</Badge>}</td>
      <td className="figures whitespace-nowrap px-3 py-2 text-right font-medium">
        {moneyText(costOfHours(type.hourly_price, 1))} / h
      </td>
      <td className="px-3 py-2 text-right">
        <Button disabled={!isFree} onClick={rent} aria-label={`Rent ${type.catalog_instance_type}`}>
          Rent
        </Button>
      </td>
    </tr>
  )
}

const MachinesPage = () => {
  const [gpu, setGpu] = useState('')
  const [free, setFree] = useState(false)
  const [chosen, setChosen] = useState<EngineType | null>(null)
  const [renting, setRenting] = useState<EngineType | null>(null)
  const { me } = useSession()
  const types = useQuery(read('engines.types'))
  const all = (types.data ?? []).toSorted((a, b) => a.hourly_price - b.hourly_price)
  const gpus = [...new Set(all.map(({ configuration }) => configuration.gpu_type).filter((one) => one !== ''))].sort()
  const shown = all.filter(
    ({ configuration, options }) => (gpu === '' || configuration.gpu_type === gpu) && (!free || options.length > 0),
  )
  const isOwner = me.user.role === 'admin'
  return (
    <Page title="Machines" note="What the clouds of this installation offer, cheapest first.">
      <div className="mb-4 flex flex-col gap-4 empty:hidden">
        {isOwner ? <Clouds /> : null}
        <RentedMachines />
      </div>
      {types.error ? <ProblemNote error={types.error} retry={() => void types.refetch()} /> : null}
      {types.isPending ? <SkeletonRows /> : null}
      {types.data && all.length === 0 ? (
        <Panel>
          <Empty icon={Server} title="No cloud is set up">
            {isOwner ? 'Add one above' : 'The platform’s owner adds one here'}. Until then, run an engine on a machine
            of your own: the page Engines has the command.
          </Empty>
        </Panel>
      ) : null}
      {all.length === 0 ? null : (
        <div className="flex flex-col gap-4">
          <div className="flex flex-wrap items-end gap-4">
            <SelectField label="GPU" fieldClass="w-48" value={gpu} onChange={(event) => setGpu(event.target.value)}>
              <option value="">Any</option>
              {gpus.map((name) => (
                <option key={name}>{name}</option>
              ))}
            </SelectField>
            <CheckField
              label="Only what is free now"
              checked={free}
              onChange={(event) => setFree(event.target.checked)}
            />
          </div>
          {chosen && chosen.configuration.gpu_type !== '' ? <PriceHistory type={chosen} /> : null}
          <Panel flush>
            <div className="overflow-x-auto">
              <table className="w-full text-left">
                <thead className="text-[12px] text-faint">
                  <tr className="border-b">
                    <th className="px-3 py-1.5 font-normal">Machine</th>
                    <th className="px-3 py-1.5 font-normal max-md:hidden">GPU</th>
                    <th className="px-3 py-1.5 font-normal max-md:hidden">Besides</th>
                    <th className="px-3 py-1.5 font-normal">Stock</th>
                    <th className="px-3 py-1.5 text-right font-normal">Price</th>
                    <th className="px-3 py-1.5">
                      <span className="sr-only">Rent</span>
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {shown.map((type) => (
                    <Row
                      key={`${type.id} ${type.rental_type}`}
                      type={type}
                      chosen={type === chosen}
                      choose={() => setChosen(type)}
                      rent={() => setRenting(type)}
                    />
                  ))}
                </tbody>
              </table>
            </div>
          </Panel>
        </div>
      )}
      <Dialog
        open={renting !== null}
        onClose={() => setRenting(null)}
        title={`Rent ${renting?.catalog_instance_type ?? ''}`}
      >
        {renting ? <RentForm type={renting} onDone={() => setRenting(null)} /> : null}
      </Dialog>
    </Page>
  )
}

export default MachinesPage
