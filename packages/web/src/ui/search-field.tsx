// A search field that filters a list.
import { Search } from 'lucide-react'
import { classes } from './classes.ts'
import { inputLook } from './field.tsx'

type SearchFieldProps = {
  label: string
  /** The placeholder; defaults to the label. */
  hint?: string
  value: string
  onChange: (term: string) => void
  className?: string
  /** For pages whose purpose is searching. */
  autoFocus?: boolean
}

export const SearchField = ({
  label,
  hint = label,
  value,
  onChange,
  className,
  autoFocus = false,
}: SearchFieldProps) => (
  <div className={classes('relative w-full', className)}>
    <Search className="absolute top-2 left-2.5 size-4 text-faint" aria-hidden />
    <input
      type="search"
      aria-label={label}
      placeholder={hint}
      className={classes(inputLook, 'h-8 pl-8')}
      // biome-ignore lint/a11y/noAutofocus: only pages whose purpose is searching set it
      autoFocus={autoFocus}
      value={value}
      onChange={(event) => onChange(event.target.value)}
    />
  </div>
)
