// A bar chart in a widget.
import { isRecord } from '@millrace/contract/json'

type Bar = { label: string; value: number }

const barsOf = (data: unknown): Bar[] =>
  (Array.isArray(data) ? data : []).flatMap((one, index) => {
    if (typeof one === 'number') return [{ label: String(index + 1), value: one }]
    if (!isRecord(one)) return []
    const value = Object.values(one).find((member) => typeof member === 'number')
    const label = Object.values(one).find((member) => typeof member === 'string')
    return typeof value === 'number' ? [{ label: String(label ?? index + 1), value }] : []
  })

export const BarChart = ({ data }: { data: unknown }) => {
  const bars = barsOf(data)
  const max = Math.max(1, ...bars.map(({ value }) => value))
  return (
    <dl className="grid grid-cols-[auto_1fr_auto] items-center gap-x-3 gap-y-1">
      {bars.map(({ label, value }) => (
        <div key={label} className="contents">
          <dt className="text-soft">{label}</dt>
          <dd className="h-2 rounded bg-hover">
            <div className="h-2 rounded bg-accent" style={{ width: `${(100 * Math.max(0, value)) / max}%` }} />
          </dd>
          <dd className="figures">{value}</dd>
        </div>
      ))}
    </dl>
  )
}
