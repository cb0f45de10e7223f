// Bars by day with an axis and numbers.
import type { UsageSummary } from '@millrace/contract/billing'
import { moneyText } from '../money/amounts.ts'
import { countText } from '../ui/time-text.ts'
import type { Measure } from './address.ts'
import { axisTop } from './axis.ts'
import { strings } from './strings.ts'

const words = strings.chart
const height = 120

type Day = UsageSummary['by_day'][number]

const amountOf = (day: Day, show: Measure): number => {
  if (show === 'tokens') return day.input_tokens + day.output_tokens
  return show === 'cost' ? day.microcents : day.runs
}

const textOf = (value: number, show: Measure): string => (show === 'cost' ? moneyText(value) : countText(value))

const tipOf = (day: Day, show: Measure): string =>
  show === 'runs'
    ? words.runs(day.date, day.runs, day.failed)
    : words.value(day.date, textOf(amountOf(day, show), show))

const Bar = ({ day, show, index, top }: { day: Day; show: Measure; index: number; top: number }) => {
  const barHeight = (height * amountOf(day, show)) / top
  const failedHeight = show === 'runs' ? (height * day.failed) / top : 0
  return (
    <g>
      <title>{tipOf(day, show)}</title>
      <rect x={index * 10} y={0} width={10} height={height} fill="transparent" />
      <rect
        x={index * 10 + 1}
        y={height - barHeight}
        width={8}
        height={barHeight - failedHeight}
        fill="var(--accent)"
      />
      <rect x={index * 10 + 1} y={height - failedHeight} width={8} height={failedHeight} fill="var(--bad)" />
    </g>
  )
}

export const DayChart = ({ days, show }: { days: UsageSummary['by_day']; show: Measure }) => {
  const top = axisTop(Math.max(0, ...days.map((day) => amountOf(day, show))), show)
  const width = days.length * 10
  return (
    <figure>
      <div className="flex gap-2">
        <div
          aria-hidden
          className="figures flex h-36 flex-col justify-between text-right text-[11px] text-faint leading-none"
        >
          {[top, top / 2, 0].map((value) => (
            <span key={value}>{textOf(value, show)}</span>
          ))}
        </div>
        <svg
          viewBox={`0 0 ${width} ${height}`}
          preserveAspectRatio="none"
          className="h-36 min-w-0 grow"
          role="img"
          aria-label={words.title[show]}
        >
          {[0, 0.5, 1].map((part) => (
            <line
              key={part}
              x1={0}
              x2={width}
              y1={height * part}
              y2={height * part}
              stroke="var(--line)"
              vectorEffect="non-scaling-stroke"
            />
          ))}
          {days.map((day, index) => (
            <Bar key={day.date} day={day} show={show} index={index} top={top} />
          ))}
        </svg>
      </div>
      <figcaption className="mt-1.5 text-[12px] text-faint">
        <span className="figures flex justify-between">
          <span>{days[0]?.date}</span>
          <span>{days.at(-1)?.date}</span>
        </span>
        <span className="flex flex-wrap justify-center gap-x-3">
          {show === 'runs' ? (
            <>
              <span>
                <span className="mr-1 inline-block size-2 rounded-sm bg-accent" />
                {words.completed}
              </span>
              <span>
                <span className="mr-1 inline-block size-2 rounded-sm bg-bad" />
                {words.failed}
              </span>
            </>
          ) : null}
          <span>{words.utc}</span>
        </span>
      </figcaption>
    </figure>
  )
}
