// The menu that adds a node: apps, agents, flows and built-in nodes, searched by name.
import { Popover } from '@base-ui/react/popover'
import type { Flow, NodeType } from '@millrace/contract/flows'
import { useStoreApi } from '@xyflow/react'
import { type LucideIcon, Plus } from 'lucide-react'
import { type KeyboardEvent, useState } from 'react'
import { Button } from '../ui/button.tsx'
import { useMatches } from '../ui/picker.tsx'
import { SearchField } from '../ui/search-field.tsx'
import { uiStrings } from '../ui/strings.ts'
import { uniqueId } from './graph-model.ts'
import { icons } from './node-card.tsx'
import { middleOf, placeIn, placeNextTo, sizesIn } from './placing.ts'
import { strings } from './strings.ts'
import type { Act } from './use-flow.ts'

const words = strings.addNode

type Choice = { key: string; label: string; icon: LucideIcon; type: NodeType; base: string; data?: object }
type Group = { heading: string; choices: readonly Choice[] }

const utilities: readonly { type: NodeType; label: string }[] = [
  { type: 'constant', label: words.constant },
  { type: 'utility', label: words.expression },
  { type: 'gate', label: words.gate },
  { type: 'selector', label: words.selector },
  { type: 'merge', label: words.merge },
  { type: 'switch', label: words.switch },
  { type: 'wait', label: words.wait },
]

type Named = { id: string; name: string; title: string }

const choicesOf = (
  items: readonly Named[],
  type: 'appNode' | 'agentNode' | 'flow',
  key: 'app_id' | 'agent_id' | 'flow',
): readonly Choice[] =>
  items.map(({ id, name, title }) => ({
    key: id,
    label: title || name,
    icon: icons[type],
    type,
    base: name.replaceAll('-', '_'),
    data: { [key]: id },
  }))

const ownChoices: readonly Choice[] = utilities.map(({ type, label }) => ({
  key: type,
  label,
  icon: icons[type],
  type,
  base: type,
}))

/** The arrow keys move through the choices and wrap around to the search field. */
const moveFocus = (event: KeyboardEvent<HTMLElement>): void => {
  if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
  event.preventDefault()
  const stops = [...event.currentTarget.querySelectorAll<HTMLElement>('input, [role=menuitem]')]
  const at = stops.indexOf(document.activeElement as HTMLElement)
  stops[(at + (event.key === 'ArrowDown' ? 1 : -1) + stops.length) % stops.length]?.focus()
}

const Choices = ({ groups, onChoose }: { groups: readonly Group[]; onChoose: (choice: Choice) => void }) => (
  <div role="menu" aria-label={words.nodes} className="min-h-0 overflow-y-auto">
    {groups.map(({ heading, choices }) => (
      // biome-ignore lint/a11y/useSemanticElements: a group of a menu, not of a form
      <div key={heading} role="group" aria-label={heading}>
        <div className="px-2 pt-1.5 pb-1 font-medium text-[11px] text-faint">{heading}</div>
        {choices.map((choice) => (
          <button
            key={choice.key}
            type="button"
            role="menuitem"
            className="flex w-full items-center gap-2 rounded px-2 py-1.5 text-left hover:bg-hover focus:bg-hover"
            onClick={() => onChoose(choice)}
          >
            <choice.icon className="size-4 shrink-0 text-faint" aria-hidden />
            <span className="min-w-0 grow truncate">{choice.label}</span>
          </button>
        ))}
      </div>
    ))}
  </div>
)

type FinderProps = {
  groups: readonly Group[]
  searchText: string
  isLoading: boolean
  onSeek: (searchText: string) => void
  onChoose: (choice: Choice) => void
}

const Finder = ({ groups, searchText, isLoading, onSeek, onChoose }: FinderProps) => {
  const first = groups[0]?.choices[0]
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys of the field and the choices inside
    <div
      className="flex max-h-[70dvh] w-64 flex-col gap-1"
      onKeyDown={(event) => {
        moveFocus(event)
        if (event.key === 'Enter' && event.target instanceof HTMLInputElement && searchText.trim() !== '' && first)
          onChoose(first)
      }}
    >
      <SearchField
        label={words.search}
        hint={words.searchHint}
        className="shrink-0"
        value={searchText}
        onChange={onSeek}
      />
      {first ? (
        <Choices groups={groups} onChoose={onChoose} />
      ) : (
        <p className="px-2 py-1.5 text-soft">{isLoading ? uiStrings.loading : uiStrings.noResults}</p>
      )}
    </div>
  )
}

/** Apps, agents and flows are searched by the server, built-in nodes by their label. */
const useChoices = (searchText: string) => {
  const byName = { sort: [{ field: 'name', dir: 'asc' as const }] }
  const apps = useMatches('apps.list', searchText, { include_others: true, ...byName })
  const agents = useMatches('agents.list', searchText, byName)
  const flows = useMatches('flows.list', searchText, byName)
  const term = searchText.trim().toLowerCase()
  const groups = [
    { heading: words.apps, choices: choicesOf(apps.items, 'appNode', 'app_id') },
    { heading: words.agents, choices: choicesOf(agents.items, 'agentNode', 'agent_id') },
    { heading: words.flows, choices: choicesOf(flows.items, 'flow', 'flow') },
    { heading: words.builtIn, choices: ownChoices.filter(({ label }) => label.toLowerCase().includes(term)) },
  ]
  return {
    groups: groups.filter(({ choices }) => choices.length > 0),
    isLoading: apps.isLoading || agents.isLoading || flows.isLoading,
    refetch: () => {
      apps.refetch()
      agents.refetch()
      flows.refetch()
    },
  }
}

export const AddNode = ({ flow, act }: { flow: Flow; act: Act }) => {
  const [open, setOpen] = useState(false)
  const [searchText, setSearchText] = useState('')
  const board = useStoreApi()
  const { groups, isLoading, refetch } = useChoices(searchText)
  // No stream reports apps of other workspaces, so the lists are read again each time the menu opens.
  const toggle = (next: boolean) => {
    setOpen(next)
    setSearchText('')
    if (next) refetch()
  }
  const add = ({ type, base, data }: Choice) => {
    toggle(false)
    const seen = board.getState()
    const sizes = sizesIn(seen.nodes)
    const selected = seen.nodes.find((node) => node.selected)
    const position =
      placeNextTo(flow, selected?.id ?? '', sizes) ?? placeIn(flow, middleOf(seen, seen.transform), sizes)
    void act({ type: 'node.add', payload: { id: uniqueId(flow, base), type, position, ...(data ? { data } : {}) } })
  }
  return (
    <Popover.Root open={open} onOpenChange={toggle}>
      <Popover.Trigger
        render={
          <Button>
            <Plus aria-hidden /> {words.add}
          </Button>
        }
      />
      <Popover.Portal>
        <Popover.Positioner align="start" sideOffset={4} className="z-50">
          <Popover.Popup aria-label={words.title} className="rounded-md border bg-raised p-1 shadow-lg outline-none">
            <Finder
              groups={groups}
              searchText={searchText}
              isLoading={isLoading}
              onSeek={setSearchText}
              onChoose={add}
            />
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  )
}
