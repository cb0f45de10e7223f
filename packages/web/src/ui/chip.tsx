// A filter that is on or off.
import { classes } from './classes.ts'

export const Chip = ({ on, onClick, children }: { on: boolean; onClick: () => void; children: string }) => (
  <button
    type="button"
    aria-pressed={on}
    onClick={onClick}
    className={classes(
      'inline-flex h-7 items-center gap-1 rounded-full border px-3',
      on
        ? 'border-accent bg-accent-soft font-medium text-accent'
        : 'border-line-strong bg-surface text-soft hover:bg-hover',
    )}
  >
    <span className="first-letter:uppercase">{children}</span>
  </button>
)
