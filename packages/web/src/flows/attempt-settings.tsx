// How long a node may take, how often it is tried, and how long it waits in between.
import type { NodeData, RetryPolicy } from '@millrace/contract/flows'
import { TextField } from '../ui/field.tsx'

type Limits = { min: number; max: number; whole: boolean }

/** Sent when the field is left. An empty one stands for what the server does by itself; what is out of bounds is not sent. */
const NumberField = ({
  label,
  help,
  value,
  otherwise,
  limits: { min, max, whole },
  onSet,
}: {
  label: string
  help?: string
  value: number | undefined
  otherwise: string
  limits: Limits
  onSet: (value: number | undefined) => void
}) => (
  <TextField
    key={`${label} ${value}`}
    label={label}
    help={help}
    type="number"
    min={min}
    max={max}
    step={whole ? 1 : 'any'}
    placeholder={otherwise}
    defaultValue={value}
    onBlur={({ target }) => {
      if (!target.reportValidity()) return
      const next = target.value === '' ? undefined : target.valueAsNumber
      if (next !== value) onSet(next)
    }}
  />
)

const day = 86_400_000
const waits: Limits = { min: 0, max: day, whole: true }

const Waits = ({ retry, set }: { retry: RetryPolicy; set: (part: Waited) => void }) => (
  <>
    <NumberField
      label="First wait (ms)"
      help="Between the first try and the second"
      value={retry.backoff_ms}
      otherwise="1000"
      limits={waits}
      onSet={(backoff_ms) => set({ backoff_ms })}
    />
    <NumberField
      label="Each wait longer by"
      help="Times the wait before"
      value={retry.factor}
      otherwise="2"
      limits={{ min: 1, max: 100, whole: false }}
      onSet={(factor) => set({ factor })}
    />
    <NumberField
      label="Longest wait (ms)"
      value={retry.max_ms}
      otherwise="3600000"
      limits={waits}
      onSet={(max_ms) => set({ max_ms })}
    />
  </>
)

type Waited = { [K in keyof RetryPolicy]?: RetryPolicy[K] | undefined }

export const AttemptSettings = ({ data, onUpdate }: { data: NodeData; onUpdate: (patch: NodeData) => void }) => {
  const retry = data.retry ?? { attempts: 1 }
  const set = (part: Waited) => {
    const kept = Object.entries({ ...retry, ...part }).filter(([, value]) => value !== undefined)
    onUpdate({ retry: { attempts: 1, ...Object.fromEntries(kept) } })
  }
  return (
    <>
      <NumberField
        label="Time limit (ms)"
        help="A try that takes longer has failed"
        value={data.timeout_ms ?? undefined}
        otherwise="none"
        limits={{ min: 1, max: 30 * day, whole: true }}
        onSet={(timeout_ms) => onUpdate({ timeout_ms: timeout_ms ?? null })}
      />
      <NumberField
        label="Tries"
        help="How often a failed run of it is tried in all"
        value={retry.attempts}
        otherwise="1"
        limits={{ min: 1, max: 100, whole: true }}
        onSet={(attempts) => set({ attempts })}
      />
      {retry.attempts > 1 ? <Waits retry={retry} set={set} /> : null}
    </>
  )
}
