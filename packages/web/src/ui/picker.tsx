// A combobox that searches while typing. The caller provides the choices, usually from a search on the server.
import { Combobox } from '@base-ui/react/combobox'
import type { ListRequest } from '@millrace/contract/common'
import { ChevronsUpDown } from 'lucide-react'
import type { ReactNode } from 'react'
import { type Listed, type ListName, type RowOf, useList } from '../api/list.ts'
import { classes } from './classes.ts'
import { Field, inputLook } from './field.tsx'
import { uiStrings } from './strings.ts'
import { useSettled } from './use-settled.ts'

export type Choice = { value: string; label: string; note?: string }
/** With several kinds of choices, each has a heading. */
export type ChoiceGroup = { heading?: string; choices: readonly Choice[] }

const matchesAtOnce = 30

/** Rows that match the term, requested when typing pauses. */
export const useMatches = <N extends ListName>(name: N, term: string, body: ListRequest = {}): Listed<RowOf<N>> => {
  const searchText = useSettled(term.trim())
  return useList(name, {
    limit: matchesAtOnce,
    ...body,
    ...(searchText === '' ? {} : { search: { term: searchText } }),
  })
}

type Named = { id: string; name: string; title: string; namespace?: string }

/** Rows with a name and optionally a title, such as apps, agents and flows. */
export const choicesOf = (rows: readonly Named[]): Choice[] =>
  rows.map(({ id, name, title, namespace }) => ({
    value: id,
    label: title || name,
    ...(namespace === undefined ? {} : { note: `${namespace}/${name}` }),
  }))

const Row = ({ choice }: { choice: Choice }) => (
  <Combobox.Item
    value={choice}
    className="flex cursor-pointer select-none items-baseline gap-2 rounded px-2 py-1.5 outline-none data-[highlighted]:bg-hover data-[selected]:font-medium"
  >
    <span className="min-w-0 grow truncate">{choice.label}</span>
    {choice.note === undefined ? null : (
      <span className="max-w-1/2 shrink-0 truncate font-normal text-[12px] text-faint">{choice.note}</span>
    )}
  </Combobox.Item>
)

const Rows = ({ groups, none }: { groups: readonly ChoiceGroup[]; none: ReactNode }) => {
  const nonEmpty = groups.filter(({ choices }) => choices.length > 0)
  return (
    <>
      <Combobox.List className="outline-none">
        {nonEmpty.map(({ heading, choices }) => (
          <Combobox.Group key={heading ?? ''}>
            {heading === undefined ? null : (
              <Combobox.GroupLabel className="px-2 pt-1.5 pb-1 font-medium text-[11px] text-faint">
                {heading}
              </Combobox.GroupLabel>
            )}
            {choices.map((choice) => (
              <Row key={choice.value} choice={choice} />
            ))}
          </Combobox.Group>
        ))}
      </Combobox.List>
      <Combobox.Status className="text-soft">
        {nonEmpty.length === 0 ? <div className="px-2 py-1.5">{none}</div> : null}
      </Combobox.Status>
    </>
  )
}

type PickerProps = {
  label: string
  help?: ReactNode
  fault?: string | undefined
  required?: boolean
  placeholder?: string
  fieldClass?: string
  /** The selected choice, which need not be among the offered ones. */
  chosen: Choice | null
  groups: readonly ChoiceGroup[]
  isLoading?: boolean
  /** The search text; cleared after a selection. */
  onTerm: (term: string) => void
  onChoose: (choice: Choice) => void
}

const isSame = (one: Choice, other: Choice): boolean => one.value === other.value

export const Picker = ({
  label,
  help,
  fault,
  required = false,
  placeholder = 'Find by name',
  fieldClass = '',
  chosen,
  groups,
  isLoading = false,
  onTerm,
  onChoose,
}: PickerProps) => (
  <Field label={label} help={help} fault={fault} required={required} className={fieldClass}>
    {(ids) => (
      <Combobox.Root<Choice>
        items={groups.flatMap(({ choices }) => choices)}
        filter={null}
        value={chosen}
        required={required}
        autoHighlight
        isItemEqualToValue={isSame}
        onValueChange={(choice) => (choice === null ? undefined : onChoose(choice))}
        onInputValueChange={(text, { reason }) => onTerm(reason === 'input-change' ? text : '')}
      >
        <Combobox.InputGroup className="relative">
          <Combobox.Input {...ids} placeholder={placeholder} className={classes(inputLook, 'h-8 pr-8')} />
          <Combobox.Trigger
            aria-label={`Show what ${label.toLowerCase()} can be`}
            tabIndex={-1}
            className="absolute top-0 right-0 grid size-8 place-items-center text-faint"
          >
            <ChevronsUpDown className="size-4" aria-hidden />
          </Combobox.Trigger>
        </Combobox.InputGroup>
        <Combobox.Portal>
          <Combobox.Positioner align="start" sideOffset={4} className="z-50">
            <Combobox.Popup className="max-h-[min(20rem,var(--available-height))] w-[var(--anchor-width)] min-w-56 overflow-y-auto rounded-md border bg-raised p-1 shadow-lg outline-none">
              <Rows groups={groups} none={isLoading ? uiStrings.loading : uiStrings.noResults} />
            </Combobox.Popup>
          </Combobox.Positioner>
        </Combobox.Portal>
      </Combobox.Root>
    )}
  </Field>
)
