// The filters of a list as chips, selects and removable names; each filter is a part of the address.
import { X } from 'lucide-react'
import type { ReactNode } from 'react'
import { present } from '../api/address-filters.ts'
import { Chip } from './chip.tsx'
import { classes } from './classes.ts'
import { inputLook } from './field.tsx'

/** Chooses a value of one filter; the chosen value again, or none, removes the filter. Pure. */
export const picked = <F extends object, K extends keyof F>(filters: F, key: K, value: F[K] | undefined): F =>
  present({ ...filters, [key]: filters[key] === value ? undefined : value }) as F

type FilterBarProps = {
  label: string
  className?: string
  children: ReactNode
}

export const FilterBar = ({ label, className, children }: FilterBarProps) => (
  <fieldset className={classes('flex flex-wrap items-center gap-1.5', className)}>
    <legend className="sr-only">{label}</legend>
    {children}
  </fieldset>
)

type FilterChipsProps<V extends string> = {
  /** The values with their labels. In a list, each value is its own label. */
  choices: Readonly<Record<V, ReactNode>> | readonly V[]
  chosen: V | undefined
  onPick: (choice: V) => void
}

const pairsOf = <V extends string>(choices: FilterChipsProps<V>['choices']): [V, string][] =>
  Array.isArray(choices) ? choices.map((each) => [each, each]) : (Object.entries(choices) as [V, string][])

export const FilterChips = <V extends string>({ choices, chosen, onPick }: FilterChipsProps<V>) =>
  pairsOf(choices).map(([choice, words]) => (
    <Chip key={choice} on={choice === chosen} onClick={() => onPick(choice)}>
      {words}
    </Chip>
  ))

/** Between two groups of chips. */
export const FilterDivider = () => <span className="mx-1 hidden h-5 w-px bg-line-strong sm:block" aria-hidden />

type FilterSelectProps = {
  label: string
  /** The label for no filter. */
  any: string
  options: readonly { id: string; name: string }[]
  chosen: string | undefined
  onPick: (id: string | undefined) => void
}

export const FilterSelect = ({ label, any, options, chosen, onPick }: FilterSelectProps) => (
  <select
    aria-label={label}
    className={classes(inputLook, 'h-7 !w-36')}
    value={chosen ?? ''}
    onChange={(event) => onPick(event.target.value || undefined)}
  >
    <option value="">{any}</option>
    {options.map(({ id, name }) => (
      <option key={id} value={id}>
        {name}
      </option>
    ))}
  </select>
)

/** A filter that another page set, such as one resource. */
export const RemovableFilter = ({
  children,
  removeLabel,
  onRemove,
}: {
  children: ReactNode
  removeLabel: string
  onRemove: () => void
}) => (
  <button
    type="button"
    className="inline-flex h-7 items-center gap-1 rounded-full border border-accent bg-accent-soft px-3 text-accent"
    onClick={onRemove}
  >
    {children} <X className="size-3.5" aria-label={removeLabel} />
  </button>
)
