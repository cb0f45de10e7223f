// The server goes by two addresses: the public one it writes into the URLs it hands out, and the one this engine was
// told to use, which may lead through another network. Pure.

export type ServerAddress = { apiUrl: string; baseUrl: string }

// An address of the server, by the way this engine reaches it; undefined when it belongs to somebody else.
export const throughApi = (address: string, { apiUrl, baseUrl }: ServerAddress): string | undefined => {
  for (const base of [apiUrl, baseUrl]) {
    const rest = restAfter(base, address) ?? restAfter(asSocket(base), address)
    if (rest !== undefined) return `${/^ws/.test(address) ? asSocket(apiUrl) : apiUrl}${rest}`
  }
  return undefined
}

// Stored files are the only thing of the server that a task may name: they are readable by whoever knows them. Any
// other route is refused like any private address, so that nobody reaches through an engine what is closed to them.
export const storedFile = (url: URL, server: ServerAddress): string | undefined => {
  const own = throughApi(url.href, server)
  return own?.startsWith(`${server.apiUrl}/media/`) ? own : undefined
}

const restAfter = (base: string, address: string): string | undefined =>
  base !== '' && address.startsWith(`${base}/`) ? address.slice(base.length) : undefined

const asSocket = (address: string): string => address.replace(/^http/, 'ws')
