// The settings pages, for the tabs and the command palette.
import { strings } from './strings.ts'

export const settingsPages = [
  { to: '/settings/account', label: strings.account.title },
  { to: '/settings/workspace', label: strings.workspace.title },
  { to: '/settings/people', label: strings.people.title },
  { to: '/settings/keys', label: strings.apiKeys.title },
  { to: '/settings/services', label: strings.services.title },
  { to: '/settings/usage', label: strings.usage.title },
  { to: '/settings/money', label: strings.billing },
  { to: '/settings/audit', label: strings.audit.title, admin: true },
] as const

/** Pages that only admins may open are hidden from other members. */
export const settingsPagesFor = (isAdmin: boolean) => settingsPages.filter((page) => isAdmin || !('admin' in page))
