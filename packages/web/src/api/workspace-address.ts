// The workspace as a part of every address: `/console/<workspace id>/…`. Pure.

/** The workspace that an address names; empty for an address without one. */
export const workspaceIn = (pathname: string): string => /^\/console\/([0-9a-z]{26})(?=\/|$)/.exec(pathname)?.[1] ?? ''

/** The address of a page in a workspace. */
export const addressIn = (id: string, page = '/'): string => `/console/${id}${page === '/' ? '' : page}`
