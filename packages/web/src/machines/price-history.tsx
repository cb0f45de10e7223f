// The price of a machine type by day.
import type { InstanceType, PricePoint } from '@millrace/contract/instances'
import { useQuery } from '@tanstack/react-query'
import { read } from '../api/queries.ts'
import { Panel, ProblemNote, Skeleton } from '../ui/page.tsx'
import { strings } from './strings.ts'

const words = strings.prices

const height = 100
const step = 10

const lineOf = (
  points: readonly PricePoint[],
  most: number,
  price: (point: PricePoint) => number | undefined,
): string =>
  points
    .flatMap((point, index) => {
      const cents = price(point)
      return cents === undefined ? [] : [`${index * step},${height - (height * cents) / most}`]
    })
    .join(' ')

export const PriceHistory = ({ type: { configuration } }: { type: Pick<InstanceType, 'configuration'> }) => {
  const { gpu_type, num_gpus } = configuration
  const history = useQuery(read('instances.price_history', { query: { gpu_type, num_gpus, days: 90 } }))
  const points = history.data ?? []
  const most = Math.max(1, ...points.flatMap(({ on_demand = 0, spot = 0 }) => [on_demand, spot])) * 1.1
  return (
    <Panel title={words.title(num_gpus, gpu_type)}>
      {history.error ? <ProblemNote error={history.error} /> : null}
      {history.isPending ? <Skeleton className="h-28" /> : null}
      {points.length === 1 ? <p className="text-soft">{words.noneYet}</p> : null}
      {points.length > 1 ? (
        <figure>
          <svg
            viewBox={`0 0 ${(points.length - 1) * step} ${height}`}
            preserveAspectRatio="none"
            className="h-28 w-full"
            role="img"
            aria-label={words.chart(points[0]?.day ?? '', points.at(-1)?.day ?? '')}
          >
            <polyline
              points={lineOf(points, most, ({ on_demand }) => on_demand)}
              fill="none"
              stroke="var(--accent)"
              vectorEffect="non-scaling-stroke"
            />
            <polyline
              points={lineOf(points, most, ({ spot }) => spot)}
              fill="none"
              stroke="var(--ok)"
              vectorEffect="non-scaling-stroke"
            />
          </svg>
          <figcaption className="flex justify-between text-[12px] text-faint">
            <span>{points[0]?.day}</span>
            <span>
              <span className="text-accent">{words.onDemand}</span> · <span className="text-ok">{words.spot}</span>
            </span>
            <span>{points.at(-1)?.day}</span>
          </figcaption>
        </figure>
      ) : null}
    </Panel>
  )
}
