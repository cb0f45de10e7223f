// Home: key figures, latest failures, active runs, and the first steps until they are done.
import type { Task, TaskCounts } from '@millrace/contract/tasks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { SquarePlay } from 'lucide-react'
import { lazy, Suspense } from 'react'
import { type Listed, useList } from '../api/list.ts'
import { read } from '../api/queries.ts'
import { useInboxCount } from '../chats/inbox.ts'
import { statusFilters } from '../runs/filters.ts'
import { appNameOf } from '../runs/names.ts'
import { useSession } from '../shell/session.tsx'
import { ButtonLink } from '../ui/button.tsx'
import { Empty, Page, Panel, ProblemNote, Skeleton, SkeletonRows } from '../ui/page.tsx'
import { StatusIcon, toneOfTask } from '../ui/status.tsx'
import { Ago, useNow } from '../ui/time.tsx'
import { countText } from '../ui/time-text.ts'
import { Figures } from './figures.tsx'
import { FirstSteps } from './first-steps.tsx'
import { RunsChart } from './runs-chart.tsx'
import { strings } from './strings.ts'
import { isTruncated, lastDay, totalsOf } from './summary.ts'

const Welcome = lazy(() => import('./welcome.tsx'))

const maxListed = 6

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

const PendingApprovals = () => {
  const count = useInboxCount()
  if (count === 0) return null
  return (
    <Link
      to="/inbox"
      className="flex items-center gap-2 rounded-lg border border-warn/50 bg-warn-soft px-3 py-2 font-medium hover:underline"
    >
      <StatusIcon tone="yours" />
      {strings.approvalsPending(count)}
    </Link>
  )
}

const PendingInvites = () => {
  const { data: invites = [] } = useQuery(read('invites.list'))
  if (invites.length === 0) return null
  return (
    <Link
      to="/settings/account"
      className="flex items-center gap-2 rounded-lg border border-warn/50 bg-warn-soft px-3 py-2 font-medium hover:underline"
    >
      <StatusIcon tone="yours" />
      {strings.invited(invites.map(({ team }) => team?.name ?? strings.unnamedWorkspace).join(', '))}
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

const Outcomes = ({ counts }: { counts: TaskCounts }) => {
  const { all } = totalsOf(counts)
  return (
    <Panel title={isTruncated(counts) ? strings.outcomes.latest(countText(all)) : strings.outcomes.lastDay}>
      {all === 0 ? (
        <Empty
          icon={SquarePlay}
          title={strings.outcomes.emptyTitle}
          action={<ButtonLink to="/apps">{strings.outcomes.chooseApp}</ButtonLink>}
        >
          {strings.outcomes.emptyText}
        </Empty>
      ) : (
        <RunsChart counts={counts} />
      )}
    </Panel>
  )
}

const newestFirst = [{ field: 'created_at', dir: 'desc' as const }]

const HomePage = () => {
  const { me, team, isAdmin } = useSession()
  const now = useNow()
  const day = lastDay(now)
  const { since } = day
  const recent = { field: 'created_at', operator: 'gte', value: since }
  const withStatus = (...value: number[]) => ({ field: 'status', operator: 'in', value })
  const page = { limit: maxListed, sort: newestFirst }
  const counted = useQuery({ ...read('tasks.counts', { query: day }), placeholderData: keepPreviousData })
  const counts = counted.data
  const failed = useList('tasks.list', { ...page, filters: [recent, withStatus(...statusFilters.failed)] })
  const active = useList('tasks.list', { ...page, filters: [withStatus(...statusFilters.active)] })
  const name = me.user.full_name || me.user.name
  return (
    <Page
      title={name ? strings.greeting(name) : strings.title}
      tab={strings.title}
      note={team.name === name ? strings.overview : team.name}
      actions={
        <ButtonLink to="/apps" look="primary">
          {strings.runApp}
        </ButtonLink>
      }
    >
      <div className="flex flex-col gap-4">
        <PendingApprovals />
        <PendingInvites />
        {team.setup_completed || !isAdmin ? null : (
          <Suspense fallback={<Skeleton className="h-48" />}>
            <Welcome />
          </Suspense>
        )}
        <FirstSteps />
        <Figures since={since} counts={counts} active={active} />
        {counted.error ? <ProblemNote error={counted.error} retry={() => void counted.refetch()} /> : null}
        {counts ? <Outcomes counts={counts} /> : null}
        {counted.isPending ? <Skeleton className="h-48" /> : null}
        <div className="grid items-start gap-4 lg:grid-cols-2">
          <TaskList title={strings.latestFailures} list={failed} none={strings.noFailures} />
          <TaskList title={strings.activeRuns} list={active} none={strings.noActiveRuns} />
        </div>
      </div>
    </Page>
  )
}

export default HomePage
