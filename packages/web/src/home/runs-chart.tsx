// Runs over time by outcome, as stacked bars. Few bars with fixed places: plain SVG is enough, and nothing is loaded.
import type { TaskCounts } from '@millrace/contract/tasks'
import { useMemo } from 'react'
import { type Bar as BarData, barsOf } from './summary.ts'

const height = 120

const time = (ms: number): string => new Date(ms).toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit' })

const Bar = ({ bar, index, most }: { bar: BarData; index: number; most: number }) => {
  const scale = height / most
  const parts = [
    { count: bar.completed, fill: 'var(--ok)' },
    { count: bar.failed, fill: 'var(--bad)' },
    { count: bar.other, fill: 'var(--faint)' },
  ]
  let top = height
  return (
    <g>
      <title>{`${time(bar.fromMs)}: ${bar.completed} completed, ${bar.failed} failed, ${bar.other} other`}</title>
      <rect x={index * 10} y={0} width={10} height={height} fill="transparent" />
      {parts.map(({ count, fill }) => {
        const tall = count * scale
        top -= tall
        return count === 0 ? null : (
          <rect key={fill} x={index * 10 + 1} y={top} width={8} height={tall} rx={1} fill={fill} />
        )
      })}
    </g>
  )
}

export const RunsChart = ({ counts }: { counts: TaskCounts }) => {
  const bars = useMemo(() => barsOf(counts), [counts])
  const most = Math.max(4, ...bars.map(({ completed, failed, other }) => completed + failed + other))
  return (
    <figure>
      <svg
        viewBox={`0 0 ${bars.length * 10} ${height}`}
        preserveAspectRatio="none"
        className="h-32 w-full"
        role="img"
        aria-label="Runs per half hour by outcome"
      >
        <line x1={0} x2={bars.length * 10} y1={height} y2={height} stroke="var(--line)" />
        {bars.map((bar, index) => (
          <Bar key={bar.fromMs} bar={bar} index={index} most={most} />
        ))}
      </svg>
      <figcaption className="mt-1 flex justify-between text-[12px] text-faint">
        <span>{time(Date.parse(counts.since))}</span>
        <span className="flex gap-3">
          <span>
            <span className="mr-1 inline-block size-2 rounded-sm bg-ok" />
            completed
          </span>
          <span>
            <span className="mr-1 inline-block size-2 rounded-sm bg-bad" />
            failed
          </span>
          <span>
            <span className="mr-1 inline-block size-2 rounded-sm bg-faint" />
            other
          </span>
        </span>
        <span>now</span>
      </figcaption>
    </figure>
  )
}
