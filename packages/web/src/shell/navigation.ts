// The pages of the console: one list for the side bar, the tabs of an area, the palette and the shortcuts.
import {
  AppWindow,
  BookOpen,
  Bot,
  Building2,
  ChartNoAxesColumn,
  Cpu,
  FileText,
  FolderKanban,
  House,
  Inbox,
  type LucideIcon,
  MessagesSquare,
  Plug,
  Search,
  Settings,
  SquarePlay,
  Workflow,
  Zap,
} from 'lucide-react'
import { strings } from './strings.ts'

type PageAddress =
  | '/'
  | '/apps'
  | '/store'
  | '/runs'
  | '/flows'
  | '/triggers'
  | '/agents'
  | '/chats'
  | '/usage'
  | '/inbox'
  | '/knowledge'
  | '/artifacts'
  | '/projects'
  | '/search'
  | '/secrets'
  | '/vaults'
  | '/connections'
  | '/tool-servers'
  | '/files'
  | '/engines'
  | '/remotes'
  | '/machines'
  | '/settings'
  | '/webhooks'
  | '/installation'

export type AreaTab = {
  to: PageAddress
  label: string
  /** Pressed after `g`. */
  key: string
}

/** An entry of the side bar. Its first tab is the page that the entry opens. */
export type NavigationEntry = {
  label: string
  icon: LucideIcon
  tabs: readonly [AreaTab, ...AreaTab[]]
  /** Only for the staff of the installation. */
  staff?: true
}

const words = strings.navigation

const single = (to: PageAddress, label: string, icon: LucideIcon, key: string): NavigationEntry => ({
  label,
  icon,
  tabs: [{ to, label, key }],
})

export const groups: readonly { heading: string | null; items: readonly NavigationEntry[] }[] = [
  { heading: null, items: [single('/', words.home, House, 'h'), single('/inbox', words.inbox, Inbox, 'n')] },
  {
    heading: words.build,
    items: [
      {
        label: words.apps,
        icon: AppWindow,
        tabs: [
          { to: '/apps', label: words.installed, key: 'a' },
          { to: '/store', label: words.store, key: 'l' },
        ],
      },
      single('/flows', words.flows, Workflow, 'f'),
      single('/agents', words.agents, Bot, 'b'),
      single('/triggers', words.triggers, Zap, 't'),
    ],
  },
  {
    heading: words.observe,
    items: [
      single('/runs', words.runs, SquarePlay, 'r'),
      single('/chats', words.chats, MessagesSquare, 'm'),
      single('/usage', words.usage, ChartNoAxesColumn, 'u'),
    ],
  },
  {
    heading: words.data,
    items: [
      single('/knowledge', words.knowledge, BookOpen, 'k'),
      {
        label: words.files,
        icon: FileText,
        tabs: [
          { to: '/files', label: words.files, key: 'i' },
          { to: '/artifacts', label: words.artifacts, key: 'd' },
        ],
      },
    ],
  },
  {
    heading: words.connect,
    items: [
      {
        label: words.connections,
        icon: Plug,
        tabs: [
          { to: '/connections', label: words.services, key: 'c' },
          { to: '/secrets', label: words.secrets, key: 's' },
          { to: '/vaults', label: words.vaults, key: 'v' },
          { to: '/tool-servers', label: words.toolServers, key: 'w' },
          { to: '/webhooks', label: words.webhooks, key: 'y' },
        ],
      },
    ],
  },
  {
    heading: words.compute,
    items: [
      {
        label: words.engines,
        icon: Cpu,
        tabs: [
          { to: '/engines', label: words.engines, key: 'e' },
          { to: '/remotes', label: words.remotes, key: 'x' },
          { to: '/machines', label: words.machines, key: 'z' },
        ],
      },
    ],
  },
]

/** At the end of the side bar. */
export const footerEntries: readonly NavigationEntry[] = [
  single('/settings', words.settings, Settings, ','),
  { ...single('/installation', words.installation, Building2, 'o'), staff: true },
]

/** Only for the palette and the shortcuts: the side bar has its own search field, and projects are a filter of lists. */
const paletteEntries: readonly NavigationEntry[] = [
  single('/search', words.search, Search, '/'),
  single('/projects', words.projects, FolderKanban, 'p'),
]

/** The entries for a person, without staff pages for others. */
export const isEntryFor =
  (isStaff: boolean) =>
  (entry: NavigationEntry): boolean =>
    isStaff || entry.staff !== true

const allNavigationEntries: readonly NavigationEntry[] = [
  ...groups.flatMap(({ items }) => items),
  ...footerEntries,
  ...paletteEntries,
]

export type NamedPage = AreaTab & { icon: LucideIcon }

/** Every page of the navigation. A tab is named with its area where its own name does not say enough. */
export const allPages = (isStaff: boolean): readonly NamedPage[] =>
  allNavigationEntries.filter(isEntryFor(isStaff)).flatMap(({ icon, tabs }) => tabs.map((tab) => ({ ...tab, icon })))

const isAt = (path: string, to: string): boolean => path === to || (to !== '/' && path.startsWith(`${to}/`))

/** The entry that contains a page, by its address below the workspace. Pure. */
export const entryAt = (path: string): NavigationEntry | undefined => {
  const found = allNavigationEntries.flatMap((entry) =>
    entry.tabs.filter(({ to }) => isAt(path, to)).map(({ to }) => ({ entry, to })),
  )
  return found.sort((a, b) => b.to.length - a.to.length)[0]?.entry
}
