// The palette: pages, resources found by name, and actions. Loaded when first opened.
import type { Collection } from '@millrace/contract/search'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { Command } from 'cmdk'
import {
  AppWindow,
  BookOpen,
  Bot,
  FileText,
  KeyRound,
  type LucideIcon,
  Moon,
  Plus,
  Search,
  Settings,
  SquarePlay,
  Sun,
  Workflow,
} from 'lucide-react'
import { type ReactNode, useDeferredValue, useState } from 'react'
import { read } from '../api/queries.ts'
import { addressOf, collectionNames, type Hit, hitOf } from '../search/hits.ts'
import { settingsPagesFor } from '../settings/settings-pages.ts'
import { allPages } from './navigation.ts'
import { type Capability, useSession } from './session.tsx'
import { chooseTheme } from './theme.ts'

const itemLook =
  'flex cursor-pointer items-center gap-2 rounded px-2 py-1.5 data-[selected=true]:bg-hover [&_svg]:size-4 [&_svg]:text-faint'

const Group = ({ heading, children }: { heading: string; children: ReactNode }) => (
  <Command.Group
    heading={heading}
    className="[&_[cmdk-group-heading]]:px-2 [&_[cmdk-group-heading]]:py-1 [&_[cmdk-group-heading]]:font-medium [&_[cmdk-group-heading]]:text-[11px] [&_[cmdk-group-heading]]:text-faint"
  >
    {children}
  </Command.Group>
)

const icons: Readonly<Partial<Record<Collection, LucideIcon>>> = {
  apps: AppWindow,
  skills: BookOpen,
  knowledge: BookOpen,
  agents: Bot,
  flows: Workflow,
}

const maxPerKind = 5

/** Uses the same search as the page; the palette's own filter must not remove semantic results. */
const SearchResults = ({ term, go }: { term: string; go: (work: () => unknown) => void }) => {
  const router = useRouter()
  const { data } = useQuery({
    ...read('search.find', { body: { query: term, limit: maxPerKind } }),
    placeholderData: keepPreviousData,
  })
  const groups = Map.groupBy((data?.results ?? []).map(hitOf), ({ collection }) => collection)
  return (
    <>
      {[...groups].map(([collection, hits]: [Collection, Hit[]]) => (
        <Group key={collection} heading={collectionNames[collection]}>
          {hits.flatMap((hit) => {
            const address = addressOf(hit)
            const Icon = icons[collection] ?? FileText
            if (address === null) return []
            return (
              <Command.Item
                key={hit.id}
                value={`${collection} ${hit.id}`}
                keywords={[term]}
                className={itemLook}
                onSelect={() => go(() => router.navigate({ to: address }))}
              >
                <Icon aria-hidden />
                <span className="grow truncate">{hit.title}</span>
                <span className="text-faint">
                  {hit.namespace}/{hit.name}
                </span>
              </Command.Item>
            )
          })}
        </Group>
      ))}
      <Group heading="Search">
        <Command.Item
          value={`search for ${term}`}
          className={itemLook}
          onSelect={() => go(() => router.navigate({ to: '/search', search: { q: term } }))}
        >
          <Search aria-hidden /> Everything about “{term}”
        </Command.Item>
      </Group>
    </>
  )
}

const SettingsPages = ({ go }: { go: (work: () => unknown) => void }) => {
  const router = useRouter()
  const { isAdmin } = useSession()
  return (
    <Group heading="Settings">
      {settingsPagesFor(isAdmin).map(({ to, label }) => (
        <Command.Item
          key={to}
          value={`settings ${label}`}
          className={itemLook}
          onSelect={() => go(() => router.navigate({ to }))}
        >
          <Settings aria-hidden /> {label}
        </Command.Item>
      ))}
    </Group>
  )
}

type PaletteCommand = {
  label: string
  icon: LucideIcon
  run: (router: ReturnType<typeof useRouter>) => unknown
  /** Hidden from people whom the server would refuse. */
  needs?: Capability
}

const commands: readonly PaletteCommand[] = [
  { label: 'New flow', icon: Plus, run: (router) => router.navigate({ to: '/flows', search: { create: true } }) },
  { label: 'New trigger', icon: Plus, run: (router) => router.navigate({ to: '/triggers/new' }) },
  {
    label: 'Create an API key',
    icon: KeyRound,
    run: (router) => router.navigate({ to: '/settings/keys' }),
    needs: 'create_keys',
  },
  {
    label: 'Failed runs',
    icon: SquarePlay,
    run: (router) => router.navigate({ to: '/runs', search: { status: 'failed' } }),
  },
  { label: 'Light theme', icon: Sun, run: () => chooseTheme('light') },
  { label: 'Dark theme', icon: Moon, run: () => chooseTheme('dark') },
]

const Palette = ({ open, onClose }: { open: boolean; onClose: () => void }) => {
  const router = useRouter()
  const [term, setTerm] = useState('')
  const asked = useDeferredValue(term.trim())
  const { isStaff, can } = useSession()
  const go = (work: () => unknown) => {
    onClose()
    setTerm('')
    void work()
  }
  return (
    <Command.Dialog
      open={open}
      onOpenChange={(next) => (next ? undefined : onClose())}
      label="Search and commands"
      overlayClassName="fixed inset-0 z-40 bg-black/40"
      contentClassName="fixed top-[14vh] left-1/2 z-50 w-[calc(100vw-24px)] max-w-xl -translate-x-1/2 overflow-hidden rounded-lg border bg-raised shadow-xl"
      loop
    >
      <Command.Input
        value={term}
        onValueChange={setTerm}
        placeholder="Search apps, agents, flows and knowledge, go to a page, run a command"
        className="h-11 w-full border-b bg-transparent px-4 text-[14px] outline-none placeholder:text-faint"
      />
      <Command.List className="max-h-[50vh] overflow-y-auto p-1.5">
        <Command.Empty className="px-3 py-6 text-center text-soft">Nothing found</Command.Empty>
        {asked === '' ? null : <SearchResults term={asked} go={go} />}
        <Group heading="Pages">
          {allPages(isStaff).map(({ to, label, icon: Icon, key }) => (
            <Command.Item
              key={to}
              value={`go to ${label}`}
              className={itemLook}
              onSelect={() => go(() => router.navigate({ to }))}
            >
              <Icon aria-hidden />
              <span className="grow">{label}</span>
              <kbd className="font-sans text-[11px] text-faint">g {key}</kbd>
            </Command.Item>
          ))}
        </Group>
        <SettingsPages go={go} />
        <Group heading="Commands">
          {commands
            .filter(({ needs }) => needs === undefined || can(needs))
            .map(({ label, icon: Icon, run }) => (
              <Command.Item key={label} className={itemLook} onSelect={() => go(() => run(router))}>
                <Icon aria-hidden /> {label}
              </Command.Item>
            ))}
        </Group>
      </Command.List>
    </Command.Dialog>
  )
}

export default Palette
