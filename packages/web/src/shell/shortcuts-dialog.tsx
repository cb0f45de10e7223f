// The list of shortcuts. Loaded when first opened.
import { Dialog } from '../ui/dialog.tsx'
import { allPages } from './navigation.ts'
import { useSession } from './session.tsx'

const Keys = ({ keys }: { keys: string }) => (
  <span className="flex gap-1">
    {keys.split(' ').map((key) => (
      <kbd key={key} className="rounded border border-line-strong bg-canvas px-1.5 font-mono text-[11px]">
        {key}
      </kbd>
    ))}
  </span>
)

const rowsFor = (isStaff: boolean): readonly [string, string][] => [
  ['Ctrl K', 'Search and commands'],
  ['?', 'Show keyboard shortcuts'],
  ['↑ ↓', 'Move in a table'],
  ['Enter', 'Open the row'],
  ['Ctrl Z', 'Undo, in a flow'],
  ['Ctrl Shift Z', 'Redo, in a flow'],
  ...allPages(isStaff).map(({ key, label }): [string, string] => [`g ${key}`, `Go to ${label}`]),
]

const ShortcutsDialog = ({ open, onClose }: { open: boolean; onClose: () => void }) => (
  <Dialog open={open} onClose={onClose} title="Keyboard">
    <dl className="grid grid-cols-1 gap-x-8 gap-y-2 sm:grid-cols-2">
      {rowsFor(useSession().isStaff).map(([keys, meaning]) => (
        <div key={keys} className="flex items-center justify-between gap-3">
          <dt>{meaning}</dt>
          <dd>
            <Keys keys={keys} />
          </dd>
        </div>
      ))}
    </dl>
  </Dialog>
)

export default ShortcutsDialog
