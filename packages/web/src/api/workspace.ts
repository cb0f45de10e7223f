// The workspace of this tab. It is part of the address, `/console/<workspace id>/…`, and does not change while the page
// is loaded: switching reloads the page. Shared storage only stores the default for an address without a workspace.

import { addressIn, workspaceIn } from './workspace-address.ts'

const base = '/console'
const lastKey = 'millrace.workspace'

let current = typeof location === 'undefined' ? '' : workspaceIn(location.pathname)

export const workspaceId = (): string => current

/** The part of every address of this tab before the path of its page. */
export const basePath = (): string => (current === '' ? base : addressIn(current))

export const lastWorkspace = (): string => localStorage.getItem(lastKey) ?? ''

export const rememberWorkspace = (id: string): void => localStorage.setItem(lastKey, id)

export const forgetLastWorkspace = (): void => localStorage.removeItem(lastKey)

/** Before the first page is shown: adds the workspace to an address that has none. */
export const enterWorkspace = (id: string): void => {
  current = id
  const page = location.pathname.slice(base.length)
  history.replaceState(history.state, '', `${addressIn(id, page || '/')}${location.search}${location.hash}`)
}

/** Loads the console in another workspace; without an id, in the last one or the person's own. */
export const openWorkspace = (id: string, page = ''): void => {
  if (id === '') forgetLastWorkspace()
  location.assign(id === '' ? base : addressIn(id, page))
}
