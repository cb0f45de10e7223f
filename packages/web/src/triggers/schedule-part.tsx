// The schedule of a trigger: cron expression, time zone, and the next five times.
import { SelectField, TextField } from '../ui/field.tsx'
import { locale } from '../ui/time-text.ts'
import { strings } from './strings.ts'
import { cronText, nextTimes } from './when.ts'

export const zones = ['UTC', ...Intl.supportedValuesOf('timeZone')]

export type Schedule = { expression: string; timezone: string }

export const NextTimes = ({ expression, timezone }: Schedule) => (
  <ol className="figures text-soft">
    {nextTimes(expression, timezone, 5).map((time) => (
      <li key={time.getTime()}>
        {time.toLocaleString(locale, { timeZone: timezone, dateStyle: 'full', timeStyle: 'short' })}
      </li>
    ))}
  </ol>
)

export const SchedulePart = ({ expression, timezone, set }: Schedule & { set: (part: Partial<Schedule>) => void }) => {
  const isReadable = nextTimes(expression, timezone, 1).length > 0
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <TextField
        label={strings.schedule.expression}
        required
        value={expression}
        help={strings.schedule.expressionHelp}
        fault={isReadable ? undefined : strings.schedule.invalid}
        onChange={(event) => set({ expression: event.target.value })}
      />
      <SelectField
        label={strings.schedule.timezone}
        value={timezone}
        onChange={(event) => set({ timezone: event.target.value })}
      >
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
