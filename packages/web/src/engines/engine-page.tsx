// One engine, live: its workers and what each does, the machine and its load.
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
import { EngineControls } from './engine-controls.tsx'
import { EnginePlace } from './engine-place.tsx'
import { type Load, loadOf, withLoad } from './load.ts'
import { LoadPlot } from './load-plot.tsx'
import { type NameOfRun, RunLink, useRunsOn } from './running.tsx'

type Engine = ReplyOf<'engines.get'>

const Worker = ({ worker, nameOf }: { worker: Engine['workers'][number]; nameOf: NameOfRun }) => (
  <li className="flex items-center gap-3 border-b px-3 py-2 last:border-0">
    <span className="w-24 shrink-0">Worker {worker.index}</span>
    <Status tone={worker.status === 'busy' ? 'live' : worker.status === 'idle' ? 'ok' : 'off'}>{worker.status}</Status>
    <span className="min-w-0 grow truncate text-right">
      {worker.task_id ? (
        <RunLink taskId={worker.task_id} nameOf={nameOf} />
      ) : (
        <span className="text-faint">
          {worker.warm_apps.length > 0 ? `${worker.warm_apps.length} warm` : 'nothing warm'}
        </span>
      )}
    </span>
  </li>
)

/** Gathered while the page is open; what was before is not kept by the server. */
const useLoads = (engine: Engine): readonly Load[] => {
  const [loads, setLoads] = useState<readonly Load[]>([])
  useEffect(() => {
    setLoads((held) => withLoad(held, loadOf(engine.system_info, engine.workers, Date.now())))
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
          Engines
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
            Its runs
          </Link>
          {mayChange ? <EngineControls engine={engine} /> : null}
        </>
      }
    >
      <div className="mb-4">
        <Panel title="Load since you opened this page">
          <LoadPlot loads={loads} />
        </Panel>
      </div>
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <div className="flex flex-col gap-4">
          <Panel title="Workers" flush>
            {engine.workers.length === 0 ? (
              <p className="p-3 text-faint">It has not announced any.</p>
            ) : (
              <ul>
                {engine.workers.map((worker) => (
                  <Worker key={worker.id} worker={worker} nameOf={nameOf} />
                ))}
              </ul>
            )}
          </Panel>
          {mayChange ? <EnginePlace engine={engine} /> : null}
        </div>
        <Panel title="Machine" actions={<Id id={engine.id} />}>
          <JsonView value={engine.system_info ?? null} />
        </Panel>
      </div>
    </Page>
  )
}

export default EnginePage
