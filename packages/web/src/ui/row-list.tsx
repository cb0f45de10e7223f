// A list of rows that can be added, edited and removed: variables, hooks, rules, fields.
import { Plus, Trash2 } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from './button.tsx'

type RowListProps<T> = {
  rows: readonly T[]
  onChange: (rows: T[]) => void
  /** The singular noun, such as `variable`. */
  noun: string
  none: string
  fresh: T
  row: (row: T, set: (change: Partial<T>) => void) => ReactNode
}

export const RowList = <T extends object>({ rows, onChange, noun, none, fresh, row }: RowListProps<T>) => (
  <div className="flex flex-col gap-3">
    {rows.length === 0 ? <p className="text-faint">{none}</p> : null}
    <ul className="flex flex-col gap-3">
      {rows.map((one, index) => (
        <li key={`row-${index + 1}`} className="flex items-start gap-2 rounded-md border p-3">
          <div className="grid min-w-0 grow gap-3 sm:grid-cols-2">
            {row(one, (change) => onChange(rows.map((each, at) => (at === index ? { ...each, ...change } : each))))}
          </div>
          <Button
            look="quiet"
            label={`Remove ${noun} ${index + 1}`}
            onClick={() => onChange(rows.filter((_, at) => at !== index))}
          >
            <Trash2 aria-hidden />
          </Button>
        </li>
      ))}
    </ul>
    <Button className="self-start" onClick={() => onChange([...rows, fresh])}>
      <Plus aria-hidden /> Add a {noun}
    </Button>
  </div>
)
