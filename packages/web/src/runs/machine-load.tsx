// The load of the machine during a run, if the engine reported it.
import { useQuery } from '@tanstack/react-query'
import { read } from '../api/queries.ts'
import { loadOf } from '../engines/load.ts'
import { LoadPlot } from '../engines/load-plot.tsx'
import { Panel } from '../ui/page.tsx'
import { strings } from './strings.ts'

const words = strings.machine

type Sample = { timestamp: string; engine_resources: unknown }

export const MachineLoad = ({ id }: { id: string }) => {
  const { data = [] } = useQuery(read('tasks.telemetry', { path: { id } }))
  if (data.length === 0) return null
  const loads = (data as Sample[]).map(({ timestamp, engine_resources }) =>
    loadOf(engine_resources, [], Date.parse(timestamp)),
  )
  return (
    <Panel title={words.title}>
      <LoadPlot loads={loads} />
    </Panel>
  )
}
