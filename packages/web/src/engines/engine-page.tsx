// One engine, live: its workers and what each does, the machine, and how to take it out of service.
import type { ReplyOf } from '@millrace/contract/call'
import { useSuspenseQuery } from '@tanstack/react-query'
import { Link, useParams, useRouter } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { call } from '../api/call.ts'
import { useLiveResource } from '../api/live.ts'
import { read } from '../api/queries.ts'
import { useSession } from '../shell/session.tsx'
import { useAct, useRemoval } from '../ui/act.ts'
import { Button } from '../ui/button.tsx'
import { Id } from '../ui/copy.tsx'
import { ConfirmButton } from '../ui/dialog.tsx'
import { JsonView } from '../ui/json-view.tsx'
import { Page, Panel } from '../ui/page.tsx'
import { Status, toneOfEngine } from '../ui/status.tsx'
import { type Load, loadOf, withLoad } from './load.ts'
import { LoadPlot } from './load-plot.tsx'

type Engine = ReplyOf<'engines.get'>

const Controls = ({ engine }: { engine: Engine }) => {
  const router = useRouter()
  const remove = useRemoval({
    work: () => call('engines.delete', { path: { id: engine.id } }),
    resource: 'engines',
    done: `${engine.name} is deleted`,
    leave: () => router.navigate({ to: '/engines' }),
  })
  const drain = useAct({
    work: () => call('engines.drain', { path: { id: engine.id } }),
    touches: ['engines'],
    done: 'It finishes what it has and takes nothing new',
  })
  return (
    <>
      {engine.status === 'running' ? (
        <Button busy={drain.isPending} onClick={() => drain.mutate()}>
          Drain
        </Button>
      ) : null}
      {engine.status === 'stopped' ? (
        <ConfirmButton label="Delete" title={`Delete ${engine.name}?`} confirm="Delete" act={remove}>
          It leaves the list. Runs it has done stay.
        </ConfirmButton>
      ) : (
        <ConfirmButton
          label="Stop"
          title={`Stop ${engine.name}?`}
          confirm="Stop"
          act={() => call('engines.stop', { path: { id: engine.id } })}
        >
          What runs there now is cancelled. Drain it first to let it finish.
        </ConfirmButton>
      )}
    </>
  )
}

const Worker = ({ worker }: { worker: Engine['workers'][number] }) => (
  <li className="flex items-center gap-3 border-b px-3 py-2 last:border-0">
    <span className="w-24 shrink-0">Worker {worker.index}</span>
    <Status tone={worker.status === 'busy' ? 'live' : worker.status === 'idle' ? 'ok' : 'off'}>{worker.status}</Status>
    <span className="min-w-0 grow truncate text-right">
      {worker.task_id ? (
        <Link to="/runs/$id" params={{ id: worker.task_id }} className="text-accent hover:underline">
          run {worker.task_id.slice(0, 8)}
        </Link>
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
          {engine.team_id === team.id && isAdmin ? <Controls engine={engine} /> : null}
        </>
      }
    >
      <div className="mb-4">
        <Panel title="Load since you opened this page">
          <LoadPlot loads={loads} />
        </Panel>
      </div>
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <Panel title="Workers" flush>
          {engine.workers.length === 0 ? (
            <p className="p-3 text-faint">It has not announced any.</p>
          ) : (
            <ul>
              {engine.workers.map((worker) => (
                <Worker key={worker.id} worker={worker} />
              ))}
            </ul>
          )}
        </Panel>
        <Panel title="Machine" actions={<Id id={engine.id} />}>
          <JsonView value={engine.system_info ?? null} />
        </Panel>
      </div>
    </Page>
  )
}

export default EnginePage
