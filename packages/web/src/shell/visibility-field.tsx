// The chooser of a visibility: the values of a kind of resource, from the narrowest to the widest.
import type { Visibility } from '@millrace/contract/common'
import type { ReactNode } from 'react'
import { SelectField } from '../ui/field.tsx'
import { choicesIn, visibilityLabels, visibilityStrings } from './visibility.ts'

export const VisibilityOptions = ({ choices }: { choices: readonly Visibility[] }) =>
  choices.map((each) => (
    <option key={each} value={each}>
      {visibilityLabels[each]}
    </option>
  ))

type VisibilityFieldProps<V extends Visibility> = {
  value: Visibility
  choices: readonly V[]
  onChoose: (choice: V) => void
  label?: string
  help?: ReactNode
  disabled?: boolean
}

export const VisibilityField = <V extends Visibility>({
  value,
  choices,
  onChoose,
  label = visibilityStrings.label,
  help,
  disabled = false,
}: VisibilityFieldProps<V>) => (
  <SelectField
    label={label}
    help={help}
    value={value}
    disabled={disabled}
    onChange={(event) => onChoose(event.target.value as V)}
  >
    <VisibilityOptions choices={choicesIn(value, choices)} />
  </SelectField>
)
