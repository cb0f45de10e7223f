// The field above a list that narrows it by words.
import { Search } from 'lucide-react'
import { classes } from './classes.ts'
import { inputLook } from './field.tsx'

type SearchFieldProps = { label: string; value: string; onChange: (term: string) => void; className?: string }

export const SearchField = ({ label, value, onChange, className }: SearchFieldProps) => (
  <div className={classes('relative w-full', className)}>
    <Search className="absolute top-2 left-2.5 size-4 text-faint" aria-hidden />
    <input
      type="search"
      aria-label={label}
      placeholder={label}
      className={classes(inputLook, 'h-8 pl-8')}
      value={value}
      onChange={(event) => onChange(event.target.value)}
    />
  </div>
)
