// Chips of which at most one is selected; selecting it again clears it.
import { Chip } from './chip.tsx'

type ChoiceChipsProps<T extends string> = {
  label: string
  choices: Readonly<Record<T, string>>
  chosen: T | undefined
  onChoose: (choice: T | undefined) => void
}

export const ChoiceChips = <T extends string>({ label, choices, chosen, onChoose }: ChoiceChipsProps<T>) => (
  <fieldset className="flex flex-wrap items-center gap-1.5">
    <legend className="sr-only">{label}</legend>
    {(Object.entries(choices) as [T, string][]).map(([choice, words]) => (
      <Chip key={choice} on={choice === chosen} onClick={() => onChoose(choice === chosen ? undefined : choice)}>
        {words}
      </Chip>
    ))}
  </fieldset>
)
