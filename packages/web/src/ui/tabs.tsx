// Tabs; arrow keys move between them.
import { Tabs as Base } from '@base-ui/react/tabs'

export const Tabs = <T extends string>({
  label,
  tabs,
  value,
  onChange,
}: {
  label: string
  tabs: readonly T[]
  value: T
  onChange: (tab: T) => void
}) => (
  <Base.Root value={value} onValueChange={(next) => onChange(next as T)} className="mb-4 border-b">
    <Base.List aria-label={label} className="flex gap-1 overflow-x-auto">
      {tabs.map((tab) => (
        <Base.Tab
          key={tab}
          value={tab}
          className="-mb-px whitespace-nowrap border-transparent border-b-2 px-3 py-1.5 text-soft hover:text-ink data-[active]:border-accent data-[active]:font-medium data-[active]:text-ink"
        >
          {tab}
        </Base.Tab>
      ))}
    </Base.List>
  </Base.Root>
)
