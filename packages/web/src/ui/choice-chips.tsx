// A filter of a list with one choice; choosing it again removes the filter.
import { FilterBar, FilterChips } from './filter-bar.tsx'

type ChoiceChipsProps<T extends string> = {
  label: string
  choices: Readonly<Record<T, string>>
  chosen: T | undefined
  onChoose: (choice: T | undefined) => void
}

export const ChoiceChips = <T extends string>({ label, choices, chosen, onChoose }: ChoiceChipsProps<T>) => (
  <FilterBar label={label}>
    <FilterChips
      choices={choices}
      chosen={chosen}
      onPick={(choice) => onChoose(choice === chosen ? undefined : choice)}
    />
  </FilterBar>
)
