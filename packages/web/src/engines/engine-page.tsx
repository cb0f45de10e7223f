// One engine: its workers and their runs, its machine and its load, updated live.
import type { ReplyOf } from '@millrace/contract/call'
import { useSuspenseQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { useLiveResource } from '../api/live.ts'
import { read } from '../api/queries.ts'
import { useSession } from '../shell/session.tsx'
import { Id } from '../ui/copy.tsx'
import { JsonView } from '../ui/json-view.tsx'
import { Page, Panel } from '../ui/page.tsx'
import { Status, toneOfEngine } from '../ui/status.tsx'
import { sizeText } from '../ui/time-text.ts'
import { EngineAccess } from './engine-access.tsx'
import { EngineControls } from './engine-controls.tsx'
import { gpusOf } from './gpus.ts'
import { type Load, loadOf, withLoad } from './load.ts'
import { LoadPlot } from './load-plot.tsx'
import { type NameOfRun, RunLink, useRunsOn } from './running.tsx'
import { strings } from './strings.ts'

const words = strings.engine

type Engine = ReplyOf<'engines.get'>

/** Measured memory of the processes of this worker. */
const gpuBytesOf = ({ system_info }: Engine['workers'][number]): number => {
  const { gpu_memory_used } = (system_info ?? {}) as { gpu_memory_used?: unknown }
  return typeof gpu_memory_used === 'number' ? gpu_memory_used : 0
}

const Worker = ({ worker, nameOf }: { worker: Engine['workers'][number]; nameOf: NameOfRun }) => (
  <li className="flex items-center gap-3 border-b px-3 py-2 last:border-0">
    <span className="w-24 shrink-0">{words.worker(worker.index)}</span>
    <Status tone={worker.status === 'busy' ? 'live' : worker.status === 'idle' ? 'ok' : 'off'}>{worker.status}</Status>
    {gpuBytesOf(worker) > 0 ? (
      <span className="figures text-faint">{words.gpuMemory(sizeText(gpuBytesOf(worker)))}</span>
    ) : null}
    <span className="min-w-0 grow truncate text-right">
      {worker.task_id ? (
        <RunLink taskId={worker.task_id} nameOf={nameOf} />
      ) : (
        <span className="text-faint">
          {worker.warm_apps.length > 0 ? words.warmApps(worker.warm_apps.length) : words.noWarmApps}
        </span>
      )}
    </span>
  </li>
)

const Gpus = ({ engine }: { engine: Engine }) => {
  const gpus = gpusOf(engine.system_info)
  if (gpus.length === 0) return null
  return (
    <Panel title={strings.gpu.title} flush>
      <ul>
        {gpus.map(({ index, name, memory, facts }) => (
          <li key={index} className="border-b px-3 py-2 last:border-0">
            <div className="flex gap-3">
              <span className="w-6 shrink-0 text-faint">{index}</span>
              <span className="min-w-0 grow truncate">{name}</span>
              <span className="figures shrink-0">{memory}</span>
            </div>
            <p className="figures pl-9 text-[12px] text-faint">{facts.join(' · ')}</p>
          </li>
        ))}
      </ul>
    </Panel>
  )
}

/** Collected while the page is open; the server does not store load history. */
const useLoads = (engine: Engine): readonly Load[] => {
  const [loads, setLoads] = useState<readonly Load[]>([])
  useEffect(() => {
    setLoads((loads) => withLoad(loads, loadOf(engine.system_info, engine.workers, Date.now())))
  }, [engine])
  return loads
}

const EnginePage = () => {
  const { id } = useParams({ from: '/engines/$id' })
  const { team, isAdmin } = useSession()
  const query = read('engines.get', { path: { id } })
  const { data: engine } = useSuspenseQuery(query)
  useLiveResource({ operation: 'engines.stream', id, queryKey: query.queryKey })
  const loads = useLoads(engine)
  const nameOf = useRunsOn([engine])
  const mayChange = engine.team_id === team.id && isAdmin
  return (
    <Page
      title={engine.name}
      trail={
        <Link to="/engines" className="hover:underline">
          {strings.title}
        </Link>
      }
      note={
        <Status tone={toneOfEngine(engine.status)}>
          {engine.stop_reason ? `${engine.status}: ${engine.stop_reason}` : engine.status}
        </Status>
      }
      actions={
        <>
          <Link to="/runs" search={{ engine: engine.id }} className="text-accent hover:underline">
            {words.runs}
          </Link>
          {mayChange ? <EngineControls engine={engine} /> : null}
        </>
      }
    >
      <div className="mb-4">
        <Panel title={words.load}>
          <LoadPlot loads={loads} />
        </Panel>
      </div>
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <div className="flex flex-col gap-4">
          <Panel title={words.workers} flush>
            {engine.workers.length === 0 ? (
              <p className="p-3 text-faint">{words.noWorkers}</p>
            ) : (
              <ul>
                {engine.workers.map((worker) => (
                  <Worker key={worker.id} worker={worker} nameOf={nameOf} />
                ))}
              </ul>
            )}
          </Panel>
          <Gpus engine={engine} />
          {mayChange ? <EngineAccess engine={engine} /> : null}
        </div>
        <Panel title={words.machine} actions={<Id id={engine.id} />}>
          <JsonView value={engine.system_info ?? null} />
        </Panel>
      </div>
    </Page>
  )
}

export default EnginePage
