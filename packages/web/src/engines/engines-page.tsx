// The list of engines with their current runs, and how to add one.
import type { ReplyOf } from '@millrace/contract/call'
import { linkOptions } from '@tanstack/react-router'
import { Cpu } from 'lucide-react'
import { useState } from 'react'
import { useList } from '../api/list.ts'
import { useSession } from '../shell/session.tsx'
import { Button } from '../ui/button.tsx'
import { classes } from '../ui/classes.ts'
import { CodeBlock } from '../ui/code.tsx'
import { commandsFor } from '../ui/commands.ts'
import { Dialog } from '../ui/dialog.tsx'
import { Empty, Page, Panel } from '../ui/page.tsx'
import { Badge, Status, toneOfEngine } from '../ui/status.tsx'
import { uiStrings } from '../ui/strings.ts'
import { type Column, Table } from '../ui/table.tsx'
import { Ago } from '../ui/time.tsx'
import { useSort } from '../ui/use-sort.ts'
import { type NameOfRun, RunLink, useRunsOn } from './running.tsx'
import { strings } from './strings.ts'
import { WarmSessions } from './warm-sessions.tsx'

type Engine = ReplyOf<'engines.get'>

/** One square per worker, filled while it is busy. */
export const WorkerSquares = ({ workers }: { workers: Engine['workers'] }) => (
  <span className="inline-flex items-center gap-1">
    {workers.slice(0, 16).map(({ id, status }) => (
      <span
        key={id}
        title={status}
        className={classes(
          'size-3 rounded-sm border',
          status === 'busy' ? 'border-accent bg-accent' : 'border-line-strong',
        )}
      />
    ))}
    <span className="figures pl-1 text-soft">
      {strings.busyWorkers(workers.filter(({ status }) => status === 'busy').length, workers.length)}
    </span>
  </span>
)

const Running = ({ workers, nameOf }: { workers: Engine['workers']; nameOf: NameOfRun }) => (
  <span className="inline-flex max-w-full gap-2">
    {workers.flatMap(({ task_id }) => (task_id ? <RunLink key={task_id} taskId={task_id} nameOf={nameOf} /> : []))}
  </span>
)

const AddEngine = () => {
  const [open, setOpen] = useState(false)
  return (
    <>
      <Button look="primary" onClick={() => setOpen(true)}>
        {strings.add.button}
      </Button>
      <Dialog open={open} onClose={() => setOpen(false)} title={strings.add.title}>
        <div className="flex flex-col gap-3">
          <p className="text-soft">{strings.add.intro}</p>
          <CodeBlock label={strings.add.commands} text={commandsFor(location.origin).startEngine} />
          <p className="text-soft">{strings.add.result}</p>
        </div>
      </Dialog>
    </>
  )
}

const linkOf = ({ id }: Engine) => linkOptions({ to: '/engines/$id', params: { id } })

const EnginesPage = () => {
  const { team, isAdmin } = useSession()
  const sorting = useSort('created_at', 'desc')
  const list = useList('engines.list', { include_others: true, sort: [sorting.sort] })
  const nameOf = useRunsOn(list.items)
  const columns: Column<Engine>[] = [
    {
      id: 'name',
      header: uiStrings.name,
      sort: 'name',
      width: '2fr',
      cell: ({ name, team_id }) => (
        <span className="inline-flex items-center gap-2 font-medium">
          {name} {team_id === team.id ? null : <Badge>{strings.platform}</Badge>}
        </span>
      ),
    },
    {
      id: 'status',
      header: uiStrings.status,
      sort: 'status',
      width: '130px',
      cell: ({ status }) => <Status tone={toneOfEngine(status)}>{status}</Status>,
    },
    {
      id: 'workers',
      header: strings.columns.workers,
      width: '2fr',
      wide: true,
      cell: ({ workers }) => <WorkerSquares workers={workers} />,
    },
    {
      id: 'running',
      header: strings.columns.running,
      width: '2fr',
      wide: true,
      cell: ({ workers }) => <Running workers={workers} nameOf={nameOf} />,
    },
    {
      id: 'version',
      header: uiStrings.version,
      sort: 'engine_version',
      width: '90px',
      wide: true,
      cell: ({ engine_version }) => engine_version,
    },
    {
      id: 'time',
      header: strings.columns.connected,
      sort: 'created_at',
      width: '90px',
      end: true,
      cell: ({ created_at }) => <Ago time={created_at} />,
    },
  ]
  return (
    <Page title={strings.title} note={strings.note} actions={isAdmin ? <AddEngine /> : null}>
      <div className="mb-4 empty:hidden">
        <WarmSessions />
      </div>
      <Panel flush>
        <Table
          label={strings.title}
          list={list}
          columns={columns}
          rowKey={({ id }) => id}
          {...sorting}
          linkOf={linkOf}
          empty={
            <Empty icon={Cpu} title={strings.emptyTitle} action={isAdmin ? <AddEngine /> : null}>
              {strings.emptyText}
            </Empty>
          }
        />
      </Panel>
    </Page>
  )
}

export default EnginesPage
