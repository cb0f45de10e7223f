// Shares of a machine over time, as small lines. Few points: plain SVG is enough.
import type { Load } from './load.ts'

const height = 40
const step = 4

const percent = (value: number): string => `${Math.round(value * 100)} %`

const Line = ({ label, values }: { label: string; values: readonly number[] }) => {
  const last = values.at(-1)
  if (last === undefined) return null
  // One report is drawn as a level, until there is a second one to lead to.
  const drawn = values.length === 1 ? [last, last] : values
  const points = drawn.map((value, index) => `${index * step},${height - value * (height - 2) - 1}`).join(' ')
  return (
    <figure className="min-w-0">
      <figcaption className="flex justify-between text-[12px]">
        <span className="text-faint">{label}</span>
        <span className="figures font-medium">{percent(last)}</span>
      </figcaption>
      <svg
        viewBox={`0 0 ${(drawn.length - 1) * step} ${height}`}
        preserveAspectRatio="none"
        className="h-10 w-full rounded border bg-canvas"
        role="img"
        aria-label={`${label}: ${percent(last)} now, ${percent(Math.min(...values))} to ${percent(Math.max(...values))} before`}
      >
        <polyline points={points} fill="none" stroke="var(--accent)" vectorEffect="non-scaling-stroke" />
      </svg>
    </figure>
  )
}

const known = (loads: readonly Load[], part: 'memory' | 'disk' | 'workers'): number[] =>
  loads.flatMap((load) => load[part] ?? [])

export const LoadPlot = ({ loads }: { loads: readonly Load[] }) => (
  <div className="grid gap-3 sm:grid-cols-3">
    <Line label="Workers busy" values={known(loads, 'workers')} />
    <Line label="Memory in use" values={known(loads, 'memory')} />
    <Line label="Fullest disk" values={known(loads, 'disk')} />
  </div>
)
