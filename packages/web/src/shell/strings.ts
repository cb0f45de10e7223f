// Texts of the frame around every page: navigation, palette, shortcuts, transfer, and pages that cannot be shown.

export const strings = {
  pageFailed: 'This page cannot be shown',
  skipToContent: 'Skip to content',
  openNavigation: 'Open navigation',
  stream: {
    waiting: 'Reconnecting to the server. The page may be out of date',
    ended: 'Not live. Reload the page to see changes',
  },
  transfer: { title: 'Transfer to another workspace' },
  notFound: {
    title: 'Page not found',
    text: 'Check the address, or search with Ctrl K.',
    home: 'Open Home',
  },
  closedWorkspace: {
    title: 'You cannot open this workspace',
    text: (reason: string) => `${reason}. Ask an admin of the workspace for an invite, or open one of yours.`,
    yours: 'Your workspaces',
  },
} as const
