// Chooses the scopes of a key: a preset, or single scopes with their descriptions.
import type { ReplyOf } from '@millrace/contract/call'
import { classes } from '../ui/classes.ts'
import { CheckField } from '../ui/field.tsx'
import { uiStrings } from '../ui/strings.ts'
import { strings } from './strings.ts'

type ScopeCatalog = ReplyOf<'scopes.list'>

/** Null means all scopes. */
export type Chosen = readonly string[] | null

export const ScopePicker = ({
  catalog,
  chosen,
  onChange,
}: {
  catalog: ScopeCatalog
  chosen: Chosen
  onChange: (next: Chosen) => void
}) => {
  const presets = catalog.presets.filter(({ hidden }) => !hidden)
  const selectedScopes = new Set(chosen ?? [])
  const sameAs = (scopes: readonly string[]) =>
    chosen !== null && scopes.length === selectedScopes.size && scopes.every((scope) => selectedScopes.has(scope))
  const toggle = (scope: string) =>
    onChange(
      selectedScopes.has(scope) ? [...selectedScopes].filter((each) => each !== scope) : [...selectedScopes, scope],
    )
  const look = (on: boolean) =>
    classes(
      'rounded-md border px-2.5 py-1 text-left',
      on ? 'border-accent bg-accent-soft text-accent' : 'border-line-strong hover:bg-hover',
    )
  return (
    <fieldset className="flex flex-col gap-3">
      <legend className="mb-1 font-medium">{uiStrings.scopes}</legend>
      <div className="flex flex-wrap gap-2">
        <button
          type="button"
          aria-pressed={chosen === null}
          className={look(chosen === null)}
          onClick={() => onChange(null)}
        >
          {strings.apiKeys.allScopes}
        </button>
        {presets.map(({ id, label, description, scopes }) => (
          <button
            key={id}
            type="button"
            title={description}
            aria-pressed={sameAs(scopes)}
            className={look(sameAs(scopes))}
            onClick={() => onChange(scopes)}
          >
            {label}
          </button>
        ))}
        <button type="button" aria-pressed={chosen?.length === 0} className={look(false)} onClick={() => onChange([])}>
          {strings.apiKeys.chooseScopes}
        </button>
      </div>
      {chosen === null ? null : (
        <div className="max-h-72 overflow-y-auto rounded-md border p-3">
          {catalog.groups.map(({ id, label }) => {
            const scopes = catalog.scopes.filter(({ group }) => group === id)
            return scopes.length === 0 ? null : (
              <div key={id} className="mb-3 last:mb-0">
                <h3 className="mb-1 text-[12px] text-faint">{label}</h3>
                <div className="grid gap-2 sm:grid-cols-2">
                  {scopes.map(({ value, label: name, description }) => (
                    <CheckField
                      key={value}
                      label={name || value}
                      help={`${value} · ${description}`}
                      checked={selectedScopes.has(value)}
                      onChange={() => toggle(value)}
                    />
                  ))}
                </div>
              </div>
            )
          })}
        </div>
      )}
    </fieldset>
  )
}
