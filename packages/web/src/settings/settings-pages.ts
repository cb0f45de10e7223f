// The pages of the settings, for the tabs between them and for the palette.

export const settingsPages = [
  { to: '/settings/account', label: 'Account' },
  { to: '/settings/workspace', label: 'Workspace' },
  { to: '/settings/people', label: 'People' },
  { to: '/settings/keys', label: 'API keys' },
  { to: '/settings/services', label: 'Services' },
  { to: '/settings/webhooks', label: 'Webhooks' },
  { to: '/settings/usage', label: 'Usage' },
  { to: '/settings/money', label: 'Money' },
  { to: '/settings/audit', label: 'Audit log', admin: true },
] as const

/** Those of a person: what only admins may open is not shown to others. */
export const settingsPagesFor = (isAdmin: boolean) => settingsPages.filter((page) => isAdmin || !('admin' in page))
