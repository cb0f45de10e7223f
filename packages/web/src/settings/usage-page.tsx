// Usage of the workspace's limits.
import type { EntitlementUsage } from '@millrace/contract/plans'
import { useQuery } from '@tanstack/react-query'
import { read } from '../api/queries.ts'
import { classes } from '../ui/classes.ts'
import { Panel, ProblemNote, SkeletonRows } from '../ui/page.tsx'
import { Badge } from '../ui/status.tsx'
import { isSpan, limitText } from './limit-text.ts'
import { SettingsFrame } from './settings-frame.tsx'
import { strings } from './strings.ts'

const nearlyFull = 0.8

const Row = ({ usage }: { usage: EntitlementUsage }) => {
  const share = usage.unlimited || usage.limit === 0 ? 0 : Math.min(1, usage.current / usage.limit)
  return (
    <li className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 gap-y-1 border-b px-3 py-2 last:border-0">
      <span className="truncate font-medium">{usage.label || usage.resource}</span>
      {usage.type === 'boolean' ? (
        <Badge {...(usage.enabled ? { tone: 'ok' as const } : {})}>{limitText(usage)}</Badge>
      ) : (
        <span className="figures text-soft">{limitText(usage)}</span>
      )}
      {usage.type === 'limit' && !usage.unlimited && !isSpan(usage) ? (
        <span aria-hidden className="col-span-2 h-1.5 overflow-hidden rounded bg-hover">
          <span
            className={classes('block h-full', share >= 1 ? 'bg-bad' : share >= nearlyFull ? 'bg-warn' : 'bg-accent')}
            style={{ width: `${share * 100}%` }}
          />
        </span>
      ) : null}
    </li>
  )
}

const UsagePage = () => {
  const usage = useQuery(read('entitlements.usage'))
  return (
    <SettingsFrame title={strings.usage.title}>
      <Panel title={strings.usage.limits} flush>
        {usage.error ? <ProblemNote error={usage.error} /> : null}
        {usage.isPending ? <SkeletonRows /> : null}
        <ul>
          {(usage.data ?? []).map((each) => (
            <Row key={each.resource} usage={each} />
          ))}
        </ul>
      </Panel>
    </SettingsFrame>
  )
}

export default UsagePage
