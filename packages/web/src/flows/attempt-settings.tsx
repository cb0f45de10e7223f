// Timeout, attempts and backoff of a node.
import type { RetryPolicy } from '@millrace/contract/flow-control'
import type { NodeData } from '@millrace/contract/flows'
import { TextField } from '../ui/field.tsx'
import { type Limits, NumberField } from './number-field.tsx'
import { strings } from './strings.ts'

const words = strings.attempts

const day = 86_400_000
const waits: Limits = { min: 0, max: day, whole: true }

const Waits = ({ retry, set }: { retry: RetryPolicy; set: (part: Waited) => void }) => (
  <>
    <NumberField
      label={words.backoff}
      help={words.backoffHelp}
      value={retry.backoff_ms}
      otherwise="1000"
      limits={waits}
      onSet={(backoff_ms) => set({ backoff_ms })}
    />
    <NumberField
      label={words.factor}
      help={words.factorHelp}
      value={retry.factor}
      otherwise="2"
      limits={{ min: 1, max: 100, whole: false }}
      onSet={(factor) => set({ factor })}
    />
    <NumberField
      label={words.maxBackoff}
      value={retry.max_ms}
      otherwise="3600000"
      limits={waits}
      onSet={(max_ms) => set({ max_ms })}
    />
    <TextField
      key={retry.codes?.join()}
      label={words.codes}
      help={words.codesHelp}
      placeholder={words.allCodes}
      defaultValue={retry.codes?.join(', ')}
      onBlur={({ target }) => {
        const codes = target.value.split(/[\s,]+/).filter((code) => code !== '')
        if (codes.join() !== (retry.codes ?? []).join()) set({ codes: codes.length > 0 ? codes : undefined })
      }}
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
        label={words.timeout}
        help={words.timeoutHelp}
        value={data.timeout_ms ?? undefined}
        otherwise={words.noTimeout}
        limits={{ min: 1, max: 30 * day, whole: true }}
        onSet={(timeout_ms) => onUpdate({ timeout_ms: timeout_ms ?? null })}
      />
      <NumberField
        label={words.max}
        help={words.maxHelp}
        value={retry.attempts}
        otherwise="1"
        limits={{ min: 1, max: 100, whole: true }}
        onSet={(attempts) => set({ attempts })}
      />
      {retry.attempts > 1 ? <Waits retry={retry} set={set} /> : null}
    </>
  )
}
