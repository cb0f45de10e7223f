// Home: how runs go, what failed and why, what is in use, and the first steps until they are done.
import { isTerminal, taskStatus } from '@millrace/contract/task-status'
import type { Task } from '@millrace/contract/tasks'
import { Link } from '@tanstack/react-router'
import { SquarePlay } from 'lucide-react'
import { lazy, Suspense, useMemo } from 'react'
import { useList } from '../api/list.ts'
import { useInboxCount } from '../chats/inbox.ts'
import { appNameOf } from '../runs/names.ts'
import { useSession } from '../shell/session.tsx'
import { ButtonLink } from '../ui/button.tsx'
import { Figure } from '../ui/figure.tsx'
import { Empty, Page, Panel, Skeleton } from '../ui/page.tsx'
import { StatusIcon, toneOfTask } from '../ui/status.tsx'
import { Ago, useNow } from '../ui/time.tsx'
import { durationText } from '../ui/time-text.ts'
import { FirstSteps } from './first-steps.tsx'
import { RunsChart } from './runs-chart.tsx'
import { summarise } from './summary.ts'

const Welcome = lazy(() => import('./welcome.tsx'))

const dayMs = 86_400_000
const mostRuns = 500

const Row = ({ task }: { task: Task }) => (
  <li>
    <Link
      to="/runs/$id"
      params={{ id: task.id }}
      className="flex items-center gap-2 rounded px-2 py-1.5 hover:bg-hover"
    >
      <StatusIcon tone={toneOfTask(task.status)} />
      <span className="shrink-0 font-medium">{appNameOf(task)}</span>
      <span className="min-w-0 grow truncate text-soft">{task.error?.split('\n')[0]}</span>
      <span className="text-faint">
        <Ago time={task.created_at} />
      </span>
    </Link>
  </li>
)

/** What agents ask before they go on. */
const WaitsForYou = () => {
  const count = useInboxCount()
  if (count === 0) return null
  return (
    <Link
      to="/inbox"
      className="flex items-center gap-2 rounded-lg border border-warn/50 bg-warn-soft px-3 py-2 font-medium hover:underline"
    >
      <StatusIcon tone="yours" />
      {count === 1 ? 'One question waits for you' : `${count} questions wait for you`}
    </Link>
  )
}

const HomePage = () => {
  const { me, team, isAdmin } = useSession()
  const now = useNow()
  // Cut to the hour, so that the question stays the same one for a while.
  const since = new Date(Math.floor(now / 3_600_000) * 3_600_000 - dayMs).toISOString()
  const recent = useList('tasks.list', {
    limit: mostRuns,
    sort: [{ field: 'created_at', dir: 'desc' }],
    filters: [{ field: 'created_at', operator: 'gte', value: since }],
  })
  const engines = useList('engines.list', { include_others: true, limit: 50 })
  const summary = useMemo(() => summarise(recent.items), [recent.items])
  const workers = engines.items.flatMap((engine) => (engine.status === 'running' ? engine.workers : []))
  const busy = workers.filter(({ status }) => status === 'busy').length
  const failures = recent.items.filter(({ status }) => status === taskStatus.failed).slice(0, 6)
  const active = recent.items.filter(({ status }) => !isTerminal(status)).slice(0, 6)
  const name = me.user.full_name || me.user.name
  return (
    <Page
      title={name ? `Hello, ${name}` : 'Home'}
      tab="Home"
      note={team.name === name ? 'What happens in your workspace' : team.name}
      actions={
        <ButtonLink to="/apps" look="primary">
          Run an app
        </ButtonLink>
      }
    >
      <div className="flex flex-col gap-4">
        <WaitsForYou />
        {team.setup_completed || !isAdmin ? null : (
          <Suspense fallback={<Skeleton className="h-48" />}>
            <Welcome />
          </Suspense>
        )}
        <FirstSteps hasRun={recent.items.some(({ status }) => status === taskStatus.completed)} />
        <div className="grid grid-cols-2 gap-3 md:grid-cols-5">
          <Figure
            label="Runs, 24 hours"
            value={recent.isLoading ? '–' : String(recent.total)}
            note={`${summary.failed} failed`}
          />
          <Figure
            label="Median duration"
            value={summary.p50 === null ? '–' : durationText(summary.p50)}
            note="p50 of finished runs"
          />
          <Figure
            label="Slow end"
            value={summary.p95 === null ? '–' : durationText(summary.p95)}
            note="p95 of finished runs"
          />
          <Figure label="Waiting" value={String(summary.waiting)} note={`${summary.running} running`} />
          <Figure
            label="Workers in use"
            value={workers.length === 0 ? '–' : `${busy} / ${workers.length}`}
            note={
              engines.items.length === 0
                ? 'shared engines'
                : `of ${engines.items.length} own engine${engines.items.length === 1 ? '' : 's'}`
            }
          />
        </div>
        <Panel title="Runs by outcome, last 24 hours">
          {recent.isLoading ? (
            <Skeleton className="h-36" />
          ) : recent.items.length === 0 ? (
            <Empty icon={SquarePlay} title="Nothing has run in the last 24 hours">
              What you and your triggers run is drawn here, by half hours.
            </Empty>
          ) : (
            <RunsChart tasks={recent.items} nowMs={now} />
          )}
        </Panel>
        <div className="grid gap-4 lg:grid-cols-2">
          <Panel title="Latest failures" flush>
            <ul className="p-1">
              {failures.length === 0 ? (
                <li className="p-2 text-faint">None in the last 24 hours</li>
              ) : (
                failures.map((task) => <Row key={task.id} task={task} />)
              )}
            </ul>
          </Panel>
          <Panel title="Going on now" flush>
            <ul className="p-1">
              {active.length === 0 ? (
                <li className="p-2 text-faint">Nothing runs at the moment</li>
              ) : (
                active.map((task) => <Row key={task.id} task={task} />)
              )}
            </ul>
          </Panel>
        </div>
      </div>
    </Page>
  )
}

export default HomePage
