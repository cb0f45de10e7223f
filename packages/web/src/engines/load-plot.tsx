// The load of a machine over time as small line charts on one time axis, in plain SVG.
import { locale } from '../ui/time-text.ts'
import { type Load, loadParts, type Point, pointsOf, positionOf } from './load.ts'
import { strings } from './strings.ts'

const height = 40
const width = 100

const percent = (value: number): string => `${Math.round(value * 100)} %`

const clock = new Intl.DateTimeFormat(locale, { hour12: false, hour: '2-digit', minute: '2-digit', second: '2-digit' })

const Line = ({ label, points, fromMs, toMs }: { label: string; points: Point[]; fromMs: number; toMs: number }) => {
  const last = points.at(-1)
  if (last === undefined) return null
  const values = points.map(({ value }) => value)
  // The last value is valid until the next report.
  const drawn = [...points, { atMs: toMs, value: last.value }].map(({ atMs, value }, index, all) => {
    const x = index === all.length - 1 ? width : positionOf(atMs, fromMs, toMs) * width
    return `${x.toFixed(2)},${(height - value * (height - 2) - 1).toFixed(2)}`
  })
  return (
    <figure className="min-w-0">
      <figcaption className="flex justify-between gap-2 text-[12px]">
        <span className="truncate text-faint">{label}</span>
        <span className="figures font-medium">{percent(last.value)}</span>
      </figcaption>
      <svg
        viewBox={`0 0 ${width} ${height}`}
        preserveAspectRatio="none"
        className="h-10 w-full rounded border bg-canvas"
        role="img"
        aria-label={strings.load.plot(
          label,
          percent(last.value),
          percent(Math.min(...values)),
          percent(Math.max(...values)),
          clock.format(fromMs),
        )}
      >
        <polyline points={drawn.join(' ')} fill="none" stroke="var(--accent)" vectorEffect="non-scaling-stroke" />
      </svg>
      <div className="figures flex justify-between text-[11px] text-faint" aria-hidden>
        <time>{clock.format(fromMs)}</time>
        {toMs - fromMs < 1000 ? null : <time>{clock.format(toMs)}</time>}
      </div>
    </figure>
  )
}

export const LoadPlot = ({ loads }: { loads: readonly Load[] }) => {
  const [first, last] = [loads[0], loads.at(-1)]
  if (!first || !last) return null
  return (
    <div className="grid gap-3 sm:grid-cols-2 lg:grid-cols-3">
      {loadParts.map((part) => (
        <Line
          key={part}
          label={strings.load[part]}
          points={pointsOf(loads, part)}
          fromMs={first.atMs}
          toMs={last.atMs}
        />
      ))}
    </div>
  )
}
