// The time that each phase of a run took: one bar per phase on a common scale, live.
import { taskStatusText } from '@millrace/contract/task-status'
import { useNow } from '../ui/time.tsx'
import { dateTimeText, durationText } from '../ui/time-text.ts'
import { type Phase, phasesOf, type StatusEvent } from './phases.ts'
import { strings } from './strings.ts'

const words = strings.timeline

const colors: Record<Phase['label'], string> = {
  queue: 'bg-faint/60',
  dispatch: 'bg-faint',
  prepare: 'bg-warn/70',
  setup: 'bg-warn',
  run: 'bg-accent',
  upload: 'bg-ok',
}

export const Timeline = ({ events, over }: { events: readonly StatusEvent[]; over: boolean }) => {
  const now = useNow()
  const { phases, startMs, totalMs } = phasesOf(events, over, now)
  if (phases.length === 0) return <p className="text-faint">{words.none}</p>
  const last = events.at(-1)
  return (
    <div>
      <ol className="flex flex-col gap-1">
        {phases.map(({ label, fromMs, tookMs }) => (
          <li key={`${label} ${fromMs}`} className="grid grid-cols-[72px_1fr_84px] items-center gap-2">
            <span className="text-soft capitalize">{label}</span>
            <span className="relative h-4 rounded bg-hover" aria-hidden>
              <span
                className={`absolute inset-y-0 min-w-[3px] rounded ${colors[label]}`}
                style={{
                  left: `min(${((fromMs - startMs) / totalMs) * 100}%, 100% - 3px)`,
                  width: `${(tookMs / totalMs) * 100}%`,
                }}
              />
            </span>
            <span className="figures text-right text-soft">{durationText(tookMs)}</span>
          </li>
        ))}
      </ol>
      {last ? (
        <p className="mt-2 text-[12px] text-faint">
          {words.summary(
            durationText(totalMs),
            taskStatusText(last.status).replaceAll('_', ' '),
            dateTimeText(last.event_time),
          )}
        </p>
      ) : null}
    </div>
  )
}
