// One of a few choices, each with a sentence that explains it.
import { useId } from 'react'

type RadioCardsProps<T extends string> = {
  label: string
  choices: Readonly<Record<T, { title: string; text: string }>>
  chosen: T
  onChoose: (choice: T) => void
}

export const RadioCards = <T extends string>({ label, choices, chosen, onChoose }: RadioCardsProps<T>) => {
  const name = useId()
  return (
    <fieldset>
      <legend className="pb-1 font-medium">{label}</legend>
      <div className="grid gap-3 sm:grid-cols-2">
        {(Object.entries(choices) as [T, { title: string; text: string }][]).map(([choice, { title, text }]) => (
          <label
            key={choice}
            className="flex cursor-pointer items-start gap-2 rounded-md border p-3 hover:bg-hover has-checked:border-accent has-checked:bg-accent-soft"
          >
            <input
              type="radio"
              name={name}
              value={choice}
              checked={choice === chosen}
              onChange={() => onChoose(choice)}
              aria-label={title}
              aria-describedby={`${name}-${choice}`}
              className="mt-0.5 accent-accent"
            />
            <span>
              <span className="block font-medium">{title}</span>
              <span id={`${name}-${choice}`} className="block text-[12px] text-soft">
                {text}
              </span>
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  )
}
