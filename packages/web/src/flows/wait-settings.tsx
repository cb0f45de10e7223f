// Settings of a wait: a duration, a time, or a request to its resume URL.
import { type WaitConfig, waitModes } from '@millrace/contract/flow-control'
import type { Flow, FlowNode } from '@millrace/contract/flows'
import { SelectField, TextField } from '../ui/field.tsx'
import { strings } from './strings.ts'
import type { Act } from './use-flow.ts'

const words = strings.wait

const SecondsField = ({
  label,
  help,
  ms,
  placeholder,
  onSet,
}: {
  label: string
  help?: string
  ms: number | undefined
  placeholder?: string
  onSet: (ms: number | undefined) => void
}) => (
  <TextField
    key={`${label} ${ms}`}
    label={label}
    help={help}
    type="number"
    min={0}
    max={366 * 86_400}
    step="any"
    placeholder={placeholder}
    defaultValue={ms === undefined ? undefined : ms / 1_000}
    onBlur={({ target }) => {
      if (!target.reportValidity()) return
      const next = target.value === '' ? undefined : Math.round(target.valueAsNumber * 1_000)
      if (next !== ms) onSet(next)
    }}
  />
)

export const WaitSettings = ({ flow, node, act }: { flow: Flow; node: FlowNode; act: Act }) => {
  const { mode, ...rest }: Partial<WaitConfig> = flow.node_data[node.id]?.wait ?? {}
  const set = (part: { [K in keyof WaitConfig]?: WaitConfig[K] | undefined }) => {
    const kept = Object.entries({ mode: mode ?? 'duration', ...rest, ...part }).filter(
      ([, value]) => value !== undefined,
    )
    void act({ type: 'node.update', payload: { node_id: node.id, patch: { wait: Object.fromEntries(kept) } } })
  }
  return (
    <div className="flex flex-col gap-3 border-t pt-3">
      <SelectField
        label={words.mode}
        value={mode ?? ''}
        onChange={({ target }) => set({ mode: target.value as WaitConfig['mode'] })}
      >
        {mode === undefined ? <option value="">–</option> : null}
        {waitModes.map((each) => (
          <option key={each} value={each}>
            {words.modes[each]}
          </option>
        ))}
      </SelectField>
      {mode === 'duration' ? (
        <SecondsField label={words.duration} ms={rest.duration_ms} onSet={(duration_ms) => set({ duration_ms })} />
      ) : null}
      {mode === 'time' ? (
        <TextField
          key={rest.until}
          label={words.until}
          help={words.untilHelp}
          defaultValue={rest.until}
          onBlur={({ target }) => {
            const until = target.value.trim() || undefined
            if (until !== rest.until) set({ until })
          }}
        />
      ) : null}
      {mode === 'resume' ? (
        <SecondsField
          label={words.timeout}
          help={words.timeoutHelp}
          ms={rest.timeout_ms}
          placeholder={words.none}
          onSet={(timeout_ms) => set({ timeout_ms })}
        />
      ) : null}
    </div>
  )
}
