// A menu behind a button.
import { Menu as Base } from '@base-ui/react/menu'
import type { LucideIcon } from 'lucide-react'
import type { ReactElement, ReactNode } from 'react'
import { classes } from './classes.ts'

export type MenuItem =
  | { kind?: 'item'; label: ReactNode; icon?: LucideIcon; onSelect: () => void; checked?: boolean; danger?: boolean }
  | { kind: 'heading'; label: string }
  | { kind: 'line' }

const Row = ({ item }: { item: MenuItem }) => {
  if (item.kind === 'line') return <Base.Separator className="my-1 h-px bg-line" />
  if (item.kind === 'heading')
    return <div className="px-2 pt-1.5 pb-1 font-medium text-[11px] text-faint">{item.label}</div>
  const Icon = item.icon
  return (
    <Base.Item
      onClick={item.onSelect}
      className={classes(
        'flex cursor-pointer select-none items-center gap-2 rounded px-2 py-1.5 outline-none data-[highlighted]:bg-hover',
        item.danger && 'text-bad',
      )}
    >
      {Icon ? <Icon className="size-4 text-faint" aria-hidden /> : null}
      <span className="min-w-0 grow truncate">{item.label}</span>
      {item.checked ? <span className="text-accent">✓</span> : null}
    </Base.Item>
  )
}

export type MenuProps = {
  trigger: ReactElement<Record<string, unknown>>
  items: readonly MenuItem[]
  align?: 'start' | 'end'
  defaultOpen?: boolean
  /** For items that may have changed since the page was opened. */
  onOpen?: () => void
}

export const Menu = ({ trigger, items, align = 'start', defaultOpen = false, onOpen }: MenuProps) => (
  <Base.Root defaultOpen={defaultOpen} onOpenChange={(open) => (open ? onOpen?.() : undefined)}>
    <Base.Trigger render={trigger} />
    <Base.Portal>
      <Base.Positioner align={align} sideOffset={4} className="z-50">
        <Base.Popup className="max-h-[70dvh] min-w-48 max-w-72 overflow-y-auto rounded-md border bg-raised p-1 shadow-lg outline-none">
          {items.map((item, index) => (
            <Row key={`item-${index + 1}`} item={item} />
          ))}
        </Base.Popup>
      </Base.Positioner>
    </Base.Portal>
  </Base.Root>
)
