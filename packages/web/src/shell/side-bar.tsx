// The side bar: workspace, pages, person. On a narrow screen it opens over the page.
import { Link, useRouter } from '@tanstack/react-router'
import {
  BookOpen,
  ChevronsUpDown,
  CircleQuestionMark,
  Code,
  Keyboard,
  LogOut,
  Monitor,
  Moon,
  Plus,
  Search,
  Sun,
  X,
} from 'lucide-react'
import { call } from '../api/call.ts'
import { openWorkspace } from '../api/workspace.ts'
import { useInboxCount } from '../chats/inbox.ts'
import { classes } from '../ui/classes.ts'
import { LazyMenu } from '../ui/lazy-menu.tsx'
import type { MenuItem } from '../ui/menu.tsx'
import { usePagePath } from './area-tabs.tsx'
import { entryAt, footerEntries, groups, isEntryFor, type NavigationEntry } from './navigation.ts'
import { useSession, useWorkspaces } from './session.tsx'
import { strings } from './strings.ts'
import { chooseTheme, type Theme, useTheme } from './theme.ts'

const words = strings.navigation

const Initial = ({ name }: { name: string }) => (
  <span
    aria-hidden
    className="flex size-6 shrink-0 items-center justify-center rounded bg-accent-soft font-semibold text-[11px] text-accent uppercase"
  >
    {name.slice(0, 2)}
  </span>
)

const barButton = 'flex w-full items-center gap-2 rounded-md px-2 py-1.5 text-left hover:bg-hover'

const WorkspaceSwitcher = () => {
  const { team } = useSession()
  const { data: teams = [] } = useWorkspaces()
  const router = useRouter()
  const items: MenuItem[] = [
    { kind: 'heading', label: 'Workspaces' },
    ...teams.map((each) => ({
      label: each.name,
      checked: each.id === team.id,
      onSelect: () => openWorkspace(each.id),
    })),
    { kind: 'line' },
    { label: 'New workspace', icon: Plus, onSelect: () => void router.navigate({ to: '/settings/workspace' }) },
  ]
  return (
    <LazyMenu
      items={items}
      trigger={
        <button type="button" className={barButton}>
          <Initial name={team.name} />
          <span className="min-w-0 grow truncate font-medium">
            <span className="sr-only">Workspace </span>
            {team.name}
          </span>
          <ChevronsUpDown className="size-4 text-faint" aria-hidden />
        </button>
      }
    />
  )
}

const themes: readonly { theme: Theme; label: string; icon: typeof Sun }[] = [
  { theme: 'system', label: 'System', icon: Monitor },
  { theme: 'light', label: 'Light', icon: Sun },
  { theme: 'dark', label: 'Dark', icon: Moon },
]

const PersonMenu = () => {
  const { me } = useSession()
  const router = useRouter()
  const theme = useTheme()
  const signOut = async () => {
    await call('auth.logout')
    location.assign('/sign-in')
  }
  const name = me.user.full_name || me.user.name || me.user.email
  const items: MenuItem[] = [
    { kind: 'heading', label: me.user.email },
    { label: 'Your account', onSelect: () => void router.navigate({ to: '/settings/account' }) },
    { kind: 'line' },
    { kind: 'heading', label: 'Theme' },
    ...themes.map((each) => ({
      label: each.label,
      icon: each.icon,
      checked: each.theme === theme,
      onSelect: () => chooseTheme(each.theme),
    })),
    { kind: 'line' },
    { label: 'Sign out', icon: LogOut, onSelect: () => void signOut() },
  ]
  return (
    <LazyMenu
      items={items}
      trigger={
        <button type="button" className={barButton}>
          <Initial name={name} />
          <span className="min-w-0 grow truncate">
            {name}
            <span className="sr-only">, account and theme</span>
          </span>
        </button>
      }
    />
  )
}

/** The number of pending approvals. */
const Waiting = () => {
  const count = useInboxCount()
  if (count === 0) return null
  return (
    <span className="figures rounded-full bg-warn-soft px-1.5 font-medium text-[11px] text-warn">
      {count}
      <span className="sr-only"> waiting</span>
    </span>
  )
}

const entryLook =
  'flex w-full items-center gap-2 rounded-md px-2 py-[5px] text-left text-soft hover:bg-hover hover:text-ink aria-[current=page]:bg-hover aria-[current=page]:font-medium aria-[current=page]:text-ink'

const Entry = ({ entry, open, onChoose }: { entry: NavigationEntry; open: boolean; onChoose: () => void }) => {
  const { label, icon: Icon, tabs } = entry
  const { to } = tabs[0]
  return (
    <li>
      <Link
        to={to}
        onClick={onChoose}
        activeProps={{ 'aria-current': undefined }}
        aria-current={open ? 'page' : undefined}
        className={entryLook}
      >
        <Icon className="size-4" aria-hidden />
        <span className="grow">{label}</span>
        {to === '/inbox' ? <Waiting /> : null}
      </Link>
    </li>
  )
}

/** Documents of the server open in a new tab, so that this page keeps its state. */
const HelpMenu = ({ onShortcuts }: { onShortcuts: () => void }) => {
  const items: MenuItem[] = [
    { label: words.guides, icon: BookOpen, onSelect: () => window.open('/guides', '_blank', 'noopener') },
    { label: words.reference, icon: Code, onSelect: () => window.open('/docs', '_blank', 'noopener') },
    { label: words.shortcuts, icon: Keyboard, onSelect: onShortcuts },
  ]
  return (
    <LazyMenu
      items={items}
      trigger={
        <button type="button" className={entryLook}>
          <CircleQuestionMark className="size-4" aria-hidden />
          <span className="grow">{words.help}</span>
        </button>
      }
    />
  )
}

const NavigationEntries = ({ onChoose, onShortcuts }: { onChoose: () => void; onShortcuts: () => void }) => {
  const isShown = isEntryFor(useSession().isStaff)
  const current = entryAt(usePagePath())
  const entries = (items: readonly NavigationEntry[]) =>
    items
      .filter(isShown)
      .map((entry) => <Entry key={entry.label} entry={entry} open={entry === current} onChoose={onChoose} />)
  return (
    <nav aria-label={words.label} className="flex min-h-0 grow flex-col overflow-y-auto">
      {groups.map(({ heading, items }) => (
        <div key={heading} className="mt-3 first:mt-1">
          {heading === null ? null : <h2 className="px-2 pb-1 font-medium text-[11px] text-faint">{heading}</h2>}
          <ul>{entries(items)}</ul>
        </div>
      ))}
      <ul className="mt-auto pt-3">
        {entries(footerEntries)}
        <li>
          <HelpMenu onShortcuts={onShortcuts} />
        </li>
      </ul>
    </nav>
  )
}

type SideBarProps = { open: boolean; onClose: () => void; onSearch: () => void; onShortcuts: () => void }

export const SideBar = ({ open, onClose, onSearch, onShortcuts }: SideBarProps) => (
  <>
    {open ? (
      <button
        type="button"
        aria-label={words.close}
        className="fixed inset-0 z-30 bg-black/40 md:hidden"
        onClick={onClose}
      />
    ) : null}
    <aside
      className={classes(
        'fixed inset-y-0 left-0 z-40 flex w-56 shrink-0 flex-col gap-1 border-r bg-surface p-2 md:static md:z-0',
        open ? 'visible' : 'invisible -translate-x-full md:visible md:translate-x-0',
      )}
    >
      <div className="flex items-center">
        <WorkspaceSwitcher />
        <button type="button" aria-label={words.close} className="rounded p-2 md:hidden" onClick={onClose}>
          <X className="size-4" aria-hidden />
        </button>
      </div>
      <button
        type="button"
        onClick={onSearch}
        className="mx-1 my-1 flex h-8 items-center gap-2 rounded-md border border-line-strong bg-canvas px-2 text-faint hover:text-ink"
      >
        <Search className="size-3.5" aria-hidden />
        <span className="grow text-left">Search or go to …</span>
        <kbd className="font-sans text-[11px]">Ctrl K</kbd>
      </button>
      <NavigationEntries onChoose={onClose} onShortcuts={onShortcuts} />
      <PersonMenu />
    </aside>
  </>
)
