// When a clock fires: its cron line in words, and the next five times in its zone.
import { SelectField, TextField } from '../ui/field.tsx'
import { cronText, nextTimes } from './when.ts'

export const zones = ['UTC', ...Intl.supportedValuesOf('timeZone')]

export type Clock = { expression: string; timezone: string }

export const NextTimes = ({ expression, timezone }: Clock) => (
  <ol className="figures text-soft">
    {nextTimes(expression, timezone, 5).map((time) => (
      <li key={time.getTime()}>
        {time.toLocaleString(undefined, { timeZone: timezone, dateStyle: 'full', timeStyle: 'short' })}
      </li>
    ))}
  </ol>
)

export const ClockPart = ({ expression, timezone, set }: Clock & { set: (part: Partial<Clock>) => void }) => {
  const isReadable = nextTimes(expression, timezone, 1).length > 0
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <TextField
        label="Cron line"
        required
        value={expression}
        help="Minute, hour, day, month, day of the week"
        fault={isReadable ? undefined : 'This line cannot be read, or names no time'}
        onChange={(event) => set({ expression: event.target.value })}
      />
      <SelectField label="Time zone" value={timezone} onChange={(event) => set({ timezone: event.target.value })}>
        {zones.map((zone) => (
          <option key={zone}>{zone}</option>
        ))}
      </SelectField>
      {isReadable ? (
        <div className="sm:col-span-2">
          <p className="font-medium">{cronText(expression)}</p>
          <NextTimes expression={expression} timezone={timezone} />
        </div>
      ) : null}
    </div>
  )
}
