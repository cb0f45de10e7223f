// Home: how runs go, what failed and why, what is in use, and the first steps until they are done.
import { taskStatus } from '@millrace/contract/task-status'
import type { Task } from '@millrace/contract/tasks'
import { Link } from '@tanstack/react-router'
import { SquarePlay } from 'lucide-react'
import { lazy, Suspense } from 'react'
import { type Listed, useList } from '../api/list.ts'
import { useInboxCount } from '../chats/inbox.ts'
import { statusFilters } from '../runs/filters.ts'
import { appNameOf } from '../runs/names.ts'
import { useSession } from '../shell/session.tsx'
import { ButtonLink } from '../ui/button.tsx'
import { Empty, Page, Panel, Skeleton, SkeletonRows } from '../ui/page.tsx'
import { StatusIcon, toneOfTask } from '../ui/status.tsx'
import { Ago, useNow } from '../ui/time.tsx'
import { Figures } from './figures.tsx'
import { FirstSteps } from './first-steps.tsx'
import { RunsChart } from './runs-chart.tsx'

const Welcome = lazy(() => import('./welcome.tsx'))

const dayMs = 86_400_000
const mostRuns = 500
const mostListed = 6

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

const TaskList = ({ title, list, none }: { title: string; list: Listed<Task>; none: string }) => (
  <Panel title={title} flush>
    {list.isLoading ? (
      <SkeletonRows rows={2} />
    ) : (
      <ul className="p-1">
        {list.items.length === 0 ? (
          <li className="p-2 text-faint">{none}</li>
        ) : (
          list.items.map((task) => <Row key={task.id} task={task} />)
        )}
      </ul>
    )}
  </Panel>
)

const Outcomes = ({ recent, now }: { recent: Listed<Task>; now: number }) => {
  const isWhole = recent.items.length >= recent.total
  return (
    <Panel title={isWhole ? 'Runs by outcome, last 24 hours' : `The latest ${recent.items.length} runs by outcome`}>
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
  )
}

const newestFirst = [{ field: 'created_at', dir: 'desc' as const }]

const HomePage = () => {
  const { me, team, isAdmin } = useSession()
  const now = useNow()
  // Cut to the hour, so that the question stays the same one for a while.
  const since = new Date(Math.floor(now / 3_600_000) * 3_600_000 - dayMs).toISOString()
  const lately = { field: 'created_at', operator: 'gte', value: since }
  const withStatus = (...value: number[]) => ({ field: 'status', operator: 'in', value })
  const ask = { limit: mostListed, sort: newestFirst }
  const recent = useList('tasks.list', { limit: mostRuns, sort: newestFirst, filters: [lately] })
  const failed = useList('tasks.list', { ...ask, filters: [lately, withStatus(...statusFilters.failed)] })
  const active = useList('tasks.list', { ...ask, filters: [withStatus(...statusFilters.active)] })
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
        <Figures since={since} recent={recent} failed={failed} active={active} />
        <Outcomes recent={recent} now={now} />
        <div className="grid items-start gap-4 lg:grid-cols-2">
          <TaskList title="Latest failures" list={failed} none="None in the last 24 hours" />
          <TaskList title="Going on now" list={active} none="Nothing runs at the moment" />
        </div>
      </div>
    </Page>
  )
}

export default HomePage
