// A map of names to texts, such as headers.
import { Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../ui/button.tsx'
import { classes } from '../ui/classes.ts'
import { inputLook } from '../ui/field.tsx'
import { uiStrings } from '../ui/strings.ts'
import { strings } from './strings.ts'

type Pair = { name: string; text: string }

const pairsOf = (value: unknown): Pair[] =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).map(([name, text]) => ({ name, text: String(text) }))
    : []

/** Holds the rows as typed, so that a name can be incomplete; rows without a name are ignored. */
export const MapInput = ({
  label,
  value,
  onChange,
}: {
  label: string
  value: unknown
  onChange: (value: unknown) => void
}) => {
  const [pairs, setPairs] = useState(() => pairsOf(value))
  const change = (next: Pair[]) => {
    setPairs(next)
    const named = next.filter(({ name }) => name !== '')
    onChange(named.length === 0 ? undefined : Object.fromEntries(named.map(({ name, text }) => [name, text])))
  }
  const edit = (index: number, part: Partial<Pair>) =>
    change(pairs.map((pair, at) => (at === index ? { ...pair, ...part } : pair)))
  return (
    <div className="flex flex-col gap-2">
      {pairs.map(({ name, text }, index) => (
        <div key={`pair-${index + 1}`} className="flex gap-2">
          <input
            aria-label={strings.itemName(label, index + 1)}
            className={classes(inputLook, 'h-8 w-2/5')}
            value={name}
            onChange={(event) => edit(index, { name: event.target.value })}
          />
          <input
            aria-label={strings.itemValue(label, index + 1)}
            className={classes(inputLook, 'h-8')}
            value={text}
            onChange={(event) => edit(index, { text: event.target.value })}
          />
          <Button
            look="quiet"
            label={uiStrings.removeThing(`${label} ${index + 1}`)}
            onClick={() => change(pairs.filter((_, at) => at !== index))}
          >
            <Trash2 aria-hidden />
          </Button>
        </div>
      ))}
      <Button className="self-start" onClick={() => setPairs([...pairs, { name: '', text: '' }])}>
        <Plus aria-hidden /> {strings.addItem}
      </Button>
    </div>
  )
}
