// Runs over time by outcome as stacked bars, in plain SVG: 48 bars need no chart library.
import type { TaskCounts } from '@millrace/contract/tasks'
import { useMemo } from 'react'
import { clockText } from '../ui/time-text.ts'
import { strings } from './strings.ts'
import { type Bar as BarData, barsOf } from './summary.ts'

const height = 120

const words = strings.outcomes

const Bar = ({ bar, index, max }: { bar: BarData; index: number; max: number }) => {
  const scale = height / max
  const parts = [
    { count: bar.completed, fill: 'var(--ok)' },
    { count: bar.failed, fill: 'var(--bad)' },
    { count: bar.other, fill: 'var(--faint)' },
  ]
  let top = height
  return (
    <g>
      <title>{words.bar(clockText(bar.fromMs), bar.completed, bar.failed, bar.other)}</title>
      <rect x={index * 10} y={0} width={10} height={height} fill="transparent" />
      {parts.map(({ count, fill }) => {
        const partHeight = count * scale
        top -= partHeight
        return count === 0 ? null : (
          <rect key={fill} x={index * 10 + 1} y={top} width={8} height={partHeight} rx={1} fill={fill} />
        )
      })}
    </g>
  )
}

export const RunsChart = ({ counts }: { counts: TaskCounts }) => {
  const bars = useMemo(() => barsOf(counts), [counts])
  const max = Math.max(4, ...bars.map(({ completed, failed, other }) => completed + failed + other))
  return (
    <figure>
      <svg
        viewBox={`0 0 ${bars.length * 10} ${height}`}
        preserveAspectRatio="none"
        className="h-32 w-full"
        role="img"
        aria-label={words.chart}
      >
        <line x1={0} x2={bars.length * 10} y1={height} y2={height} stroke="var(--line)" />
        {bars.map((bar, index) => (
          <Bar key={bar.fromMs} bar={bar} index={index} max={max} />
        ))}
      </svg>
      <figcaption className="mt-1 flex justify-between text-[12px] text-faint">
        <span>{clockText(Date.parse(counts.since))}</span>
        <span className="flex gap-3">
          <span>
            <span className="mr-1 inline-block size-2 rounded-sm bg-ok" />
            {words.completed}
          </span>
          <span>
            <span className="mr-1 inline-block size-2 rounded-sm bg-bad" />
            {words.failed}
          </span>
          <span>
            <span className="mr-1 inline-block size-2 rounded-sm bg-faint" />
            {words.other}
          </span>
        </span>
        <span>{words.now}</span>
      </figcaption>
    </figure>
  )
}
