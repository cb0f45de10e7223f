// The places of the console: one list for the side bar, the palette and the shortcuts.
import {
  AppWindow,
  Cpu,
  FileText,
  House,
  KeyRound,
  type LucideIcon,
  Plug,
  Settings,
  SquarePlay,
  Vault,
  Workflow,
  Zap,
} from 'lucide-react'

export type Place = {
  to:
    | '/'
    | '/apps'
    | '/runs'
    | '/flows'
    | '/triggers'
    | '/secrets'
    | '/vaults'
    | '/connections'
    | '/files'
    | '/engines'
    | '/settings'
  label: string
  icon: LucideIcon
  /** Pressed after `g`. */
  key: string
}

export const places: readonly { heading: string; items: readonly Place[] }[] = [
  {
    heading: 'Work',
    items: [
      { to: '/', label: 'Home', icon: House, key: 'h' },
      { to: '/apps', label: 'Apps', icon: AppWindow, key: 'a' },
      { to: '/runs', label: 'Runs', icon: SquarePlay, key: 'r' },
      { to: '/flows', label: 'Flows', icon: Workflow, key: 'f' },
      { to: '/triggers', label: 'Triggers', icon: Zap, key: 't' },
    ],
  },
  {
    heading: 'Resources',
    items: [
      { to: '/files', label: 'Files', icon: FileText, key: 'i' },
      { to: '/secrets', label: 'Secrets', icon: KeyRound, key: 's' },
      { to: '/vaults', label: 'Vaults', icon: Vault, key: 'v' },
      { to: '/connections', label: 'Connections', icon: Plug, key: 'c' },
      { to: '/engines', label: 'Engines', icon: Cpu, key: 'e' },
    ],
  },
  { heading: 'Workspace', items: [{ to: '/settings', label: 'Settings', icon: Settings, key: ',' }] },
]

export const allPlaces: readonly Place[] = places.flatMap(({ items }) => items)
