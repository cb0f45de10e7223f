// The pages of the console: one list for the side bar, the palette and the shortcuts.
import {
  AppWindow,
  BookOpen,
  Bot,
  Building2,
  Cpu,
  FileCode2,
  FileText,
  FolderKanban,
  House,
  Inbox,
  KeyRound,
  Laptop,
  type LucideIcon,
  MessagesSquare,
  Plug,
  Search,
  Server,
  Settings,
  SquarePlay,
  Store,
  Vault,
  Workflow,
  Wrench,
  Zap,
} from 'lucide-react'

export type Place = {
  to:
    | '/'
    | '/apps'
    | '/store'
    | '/runs'
    | '/flows'
    | '/triggers'
    | '/agents'
    | '/chats'
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
    | '/installation'
  label: string
  icon: LucideIcon
  /** Pressed after `g`. */
  key: string
  /** Only for the staff of the installation. */
  staff?: true
}

export const places: readonly { heading: string; items: readonly Place[] }[] = [
  {
    heading: 'Work',
    items: [
      { to: '/', label: 'Home', icon: House, key: 'h' },
      { to: '/inbox', label: 'Inbox', icon: Inbox, key: 'n' },
      { to: '/apps', label: 'Apps', icon: AppWindow, key: 'a' },
      { to: '/store', label: 'Store', icon: Store, key: 'l' },
      { to: '/runs', label: 'Runs', icon: SquarePlay, key: 'r' },
      { to: '/flows', label: 'Flows', icon: Workflow, key: 'f' },
      { to: '/triggers', label: 'Triggers', icon: Zap, key: 't' },
      { to: '/agents', label: 'Agents', icon: Bot, key: 'b' },
      { to: '/chats', label: 'Chats', icon: MessagesSquare, key: 'm' },
    ],
  },
  {
    heading: 'Resources',
    items: [
      { to: '/knowledge', label: 'Knowledge', icon: BookOpen, key: 'k' },
      { to: '/artifacts', label: 'Artifacts', icon: FileCode2, key: 'd' },
      { to: '/projects', label: 'Projects', icon: FolderKanban, key: 'p' },
      { to: '/files', label: 'Files', icon: FileText, key: 'i' },
      { to: '/secrets', label: 'Secrets', icon: KeyRound, key: 's' },
      { to: '/vaults', label: 'Vaults', icon: Vault, key: 'v' },
      { to: '/connections', label: 'Connections', icon: Plug, key: 'c' },
      { to: '/tool-servers', label: 'Tool servers', icon: Wrench, key: 'w' },
      { to: '/engines', label: 'Engines', icon: Cpu, key: 'e' },
      { to: '/remotes', label: 'Remotes', icon: Laptop, key: 'x' },
      { to: '/machines', label: 'Machines', icon: Server, key: 'z' },
    ],
  },
  {
    heading: 'Workspace',
    items: [
      { to: '/settings', label: 'Settings', icon: Settings, key: ',' },
      { to: '/installation', label: 'Installation', icon: Building2, key: 'o', staff: true },
    ],
  },
]

/** Also known to the palette and the shortcuts; the side bar has its own search field. */
const others: readonly Place[] = [{ to: '/search', label: 'Search', icon: Search, key: '/' }]

/** The pages for a person, without staff pages for others. */
export const placesFor =
  (isStaff: boolean) =>
  (place: Place): boolean =>
    isStaff || place.staff !== true

export const allPlaces: readonly Place[] = [...places.flatMap(({ items }) => items), ...others]
