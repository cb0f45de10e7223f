// The balance, spending by day and by app, budgets and transactions.
import type { Usage } from '@millrace/contract/billing'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { read } from '../api/queries.ts'
import { SettingsFrame } from '../settings/settings-frame.tsx'
import { useSession } from '../shell/session.tsx'
import { Panel, ProblemNote, Skeleton } from '../ui/page.tsx'
import { moneyText } from './amounts.ts'
import { Budgets } from './budgets.tsx'
import { lastDays } from './days.ts'
import { strings } from './strings.ts'
import { Transactions } from './transactions.tsx'

const height = 80

const ByDay = ({ spent }: { spent: Usage['by_day'] }) => {
  const days = lastDays(spent, Date.now())
  const most = Math.max(1, ...days.map(({ microcents }) => microcents))
  const width = 10
  return (
    <svg
      viewBox={`0 0 ${days.length * width} ${height}`}
      preserveAspectRatio="none"
      className="h-24 w-full"
      role="img"
      aria-label={strings.byDay}
    >
      {days.map(({ date, microcents }, index) => (
        <rect
          key={date}
          x={index * width + 1}
          y={height - (height * microcents) / most}
          width={width - 2}
          height={(height * microcents) / most}
          fill="var(--accent)"
        >
          <title>{`${date}: ${moneyText(microcents)}`}</title>
        </rect>
      ))}
    </svg>
  )
}

const ByApp = ({ apps }: { apps: Usage['by_app'] }) => (
  <ul>
    {apps.map(({ app_id, ref, tasks, microcents }) => {
      const [namespace = '', name = ''] = ref.split('/')
      return (
        <li key={app_id} className="flex gap-3 py-1">
          <span className="min-w-0 grow truncate">
            {name === '' ? (
              ref || app_id
            ) : (
              <Link to="/apps/$namespace/$name" params={{ namespace, name }} className="text-accent hover:underline">
                {ref}
              </Link>
            )}
          </span>
          <span className="figures text-faint">{strings.runs(tasks)}</span>
          <span className="figures w-24 text-right">{moneyText(microcents)}</span>
        </li>
      )
    })}
  </ul>
)

const states: Readonly<Record<string, string>> = {
  spend_locked: strings.states.spend_locked,
  manual_hold: strings.states.manual_hold,
  suspended: strings.states.suspended,
}

const MoneyPage = () => {
  const { isAdmin } = useSession()
  const billing = useQuery(read('billing.get'))
  const usage = useQuery(read('billing.usage', { query: {} }))
  const error = billing.error ?? usage.error
  const restriction = billing.data ? states[billing.data.status] : undefined
  return (
    <SettingsFrame title={strings.title}>
      <div className="flex flex-col gap-4">
        {error ? <ProblemNote error={error} /> : null}
        {restriction ? (
          <div role="alert" className="rounded-md border border-warn/50 bg-warn-soft px-3 py-2">
            {restriction}
          </div>
        ) : null}
        <div className="grid gap-4 md:grid-cols-[240px_minmax(0,1fr)]">
          <Panel title={strings.balance}>
            {billing.data ? (
              <p className="figures font-semibold text-[22px]">{moneyText(billing.data.balance)}</p>
            ) : (
              <Skeleton className="h-8" />
            )}
            <p className="text-soft">{usage.data ? strings.spent(moneyText(usage.data.total)) : '\u00a0'}</p>
          </Panel>
          <Panel title={strings.last30Days}>
            {usage.data?.total === 0 ? <p className="text-faint">{strings.nothingSpent}</p> : null}
            {usage.data ? <ByDay spent={usage.data.by_day} /> : <Skeleton className="h-24" />}
          </Panel>
        </div>
        {usage.data && usage.data.by_app.length > 0 ? (
          <Panel title={strings.byApp}>
            <ByApp apps={usage.data.by_app} />
          </Panel>
        ) : null}
        <Budgets mayChange={isAdmin} />
        <Transactions />
      </div>
    </SettingsFrame>
  )
}

export default MoneyPage
