// The usage and cost of an app in this workspace in the last 30 days.
import type { App } from '@millrace/contract/apps'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { read } from '../api/queries.ts'
import { moneyText } from '../money/amounts.ts'
import { Panel, ProblemNote, SkeletonRows } from '../ui/page.tsx'
import { countText, durationText, sizeText } from '../ui/time-text.ts'
import { strings } from './strings.ts'

const words = strings.usage

export const AppUsage = ({ app }: { app: App }) => {
  const metered = useQuery(read('billing.resources'))
  const spent = useQuery(read('billing.usage'))
  const used = metered.data?.by_app.find(({ app_id }) => app_id === app.id)
  const cost = spent.data?.by_app.find(({ app_id }) => app_id === app.id)?.microcents ?? 0
  const tokens = (used?.input_tokens ?? 0) + (used?.output_tokens ?? 0)
  const facts: [string, string][] = [
    [words.runs, countText(used?.tasks ?? 0)],
    [words.cpu, durationText((used?.cpu_seconds ?? 0) * 1000)],
    [words.transfer, sizeText((used?.input_bytes ?? 0) + (used?.output_bytes ?? 0))],
    ...(tokens > 0 ? [[words.tokens, countText(tokens)] as [string, string]] : []),
    ...(cost > 0 ? [[words.cost, moneyText(cost)] as [string, string]] : []),
  ]
  return (
    <Panel
      title={words.title}
      actions={
        <Link to="/runs" search={{ app: app.id }} className="text-accent hover:underline">
          {words.viewRuns}
        </Link>
      }
    >
      {metered.error ? <ProblemNote error={metered.error} /> : null}
      {metered.isPending ? <SkeletonRows rows={2} /> : null}
      {metered.data ? (
        <dl className="grid grid-cols-[120px_1fr] gap-y-1.5">
          {facts.map(([name, value]) => (
            <div key={name} className="contents">
              <dt className="text-faint">{name}</dt>
              <dd className="figures">{value}</dd>
            </div>
          ))}
        </dl>
      ) : null}
    </Panel>
  )
}
