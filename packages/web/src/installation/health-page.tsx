// The state of the installation: servers, engines, queue, jobs and storage.
import type { Health } from '@millrace/contract/installation'
import { useQuery } from '@tanstack/react-query'
import { read } from '../api/queries.ts'
import { Figure } from '../ui/figure.tsx'
import { Panel, ProblemNote, SkeletonRows } from '../ui/page.tsx'
import { Badge } from '../ui/status.tsx'
import { Ago } from '../ui/time.tsx'
import { durationText, sizeText } from '../ui/time-text.ts'
import { StaffFrame } from './staff-frame.tsx'

/** No stream reports these, so they are polled while the page is visible. */
const readAgainMs = 5_000

const countText = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .map(([status, count]) => `${count} ${status}`)
    .join(', ') || 'none'

const Figures = ({ health: { queue, jobs, engines, workers, disk, database } }: { health: Health }) => (
  <div className="grid grid-cols-2 gap-3 lg:grid-cols-4">
    <Figure
      label="Waiting runs"
      value={queue.waiting.toLocaleString()}
      note={queue.waiting > 0 ? `oldest: ${durationText(queue.oldest_seconds * 1000)}` : 'nothing waits'}
    />
    <Figure label="Running runs" value={queue.on_engines.toLocaleString()} />
    <Figure label="Engines" value={String(engines.running ?? 0)} note={countText(engines)} />
    <Figure label="Busy workers" value={String(workers.busy ?? 0)} note={countText(workers)} />
    <Figure label="Waiting jobs" value={jobs.waiting.toLocaleString()} note={`${jobs.running} running`} />
    <Figure label="Failed jobs" value={jobs.given_up.toLocaleString()} />
    <Figure label="Disk free" value={sizeText(disk.free_bytes)} note={`of ${sizeText(disk.total_bytes)}`} />
    <Figure
      label="Database"
      value={sizeText(database.bytes)}
      note={`${database.connections} of ${database.max_connections} connections`}
    />
  </div>
)

const Servers = ({ servers }: Pick<Health, 'servers'>) => (
  <Panel title="Servers" flush>
    <ul>
      {servers.map(({ id, address, version, bus, started_at, draining, answers }) => (
        <li key={id} className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b px-3 py-2 last:border-0">
          <span className="min-w-0 grow truncate">
            <span className="font-medium">{address || id}</span> <span className="text-faint">{version}</span>
          </span>
          {answers ? <Badge tone="ok">answered this request</Badge> : null}
          {draining ? <Badge tone="warn">draining</Badge> : null}
          <Badge>{bus}</Badge>
          <span className="text-faint">
            since <Ago time={started_at} />
          </span>
        </li>
      ))}
    </ul>
  </Panel>
)

const Failures = ({ failures }: { failures: Health['jobs']['latest_failures'] }) => (
  <Panel title="Recent job failures" flush>
    {failures.length === 0 ? <p className="p-3 text-faint">No failures since the last success</p> : null}
    <ul>
      {failures.map(({ name, attempts, error, updated_at }) => (
        <li key={`${name} ${updated_at}`} className="border-b px-3 py-2 last:border-0">
          <p className="flex items-center gap-2">
            <code className="grow truncate font-mono text-[12px]">{name}</code>
            <span className="text-faint">
              {attempts} {attempts === 1 ? 'try' : 'tries'}, <Ago time={updated_at} />
            </span>
          </p>
          <p className="truncate text-bad" title={error}>
            {error.split('\n')[0]}
          </p>
        </li>
      ))}
    </ul>
  </Panel>
)

const Tables = ({ database: { largest_tables } }: Pick<Health, 'database'>) => (
  <Panel title="Largest tables" flush>
    <ul>
      {largest_tables.map(({ name, bytes, rows }) => (
        <li key={name} className="flex items-center gap-3 border-b px-3 py-1.5 last:border-0">
          <code className="grow truncate font-mono text-[12px]">{name}</code>
          <span className="figures text-faint">{rows.toLocaleString()} rows</span>
          <span className="figures w-20 text-right">{sizeText(bytes)}</span>
        </li>
      ))}
    </ul>
  </Panel>
)

const HealthDetails = () => {
  const { data, error, isPending, refetch } = useQuery({ ...read('health.get'), refetchInterval: readAgainMs })
  if (isPending) return <SkeletonRows />
  if (!data) return <ProblemNote error={error} retry={() => void refetch()} />
  return (
    <div className="flex flex-col gap-4">
      {error ? <ProblemNote error={error} retry={() => void refetch()} /> : null}
      <Figures health={data} />
      <Servers servers={data.servers} />
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <Failures failures={data.jobs.latest_failures} />
        <Tables database={data.database} />
      </div>
    </div>
  )
}

const HealthPage = () => <StaffFrame title="Health">{() => <HealthDetails />}</StaffFrame>

export default HealthPage
