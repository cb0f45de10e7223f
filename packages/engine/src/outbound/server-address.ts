// The server has two addresses: the public one in the URLs that it returns, and the one that this engine is configured
// with, which may use another network. Pure.

export type ServerAddress = { apiUrl: string; baseUrl: string }

// Translates an address of the server to the one that this engine uses; undefined for other hosts.
export const throughApi = (address: string, { apiUrl, baseUrl }: ServerAddress): string | undefined => {
  for (const base of [apiUrl, baseUrl]) {
    const rest = restAfter(base, address) ?? restAfter(asSocket(base), address)
    if (rest !== undefined) return `${/^ws/.test(address) ? asSocket(apiUrl) : apiUrl}${rest}`
  }
  return undefined
}

// Tasks may refer only to stored files of the server, which are public to anyone with their URL. Every other route is
// rejected like a private address, so that an engine gives no access to closed routes.
export const storedFile = (url: URL, server: ServerAddress): string | undefined => {
  const own = throughApi(url.href, server)
  return own?.startsWith(`${server.apiUrl}/media/`) ? own : undefined
}

const restAfter = (base: string, address: string): string | undefined =>
  base !== '' && address.startsWith(`${base}/`) ? address.slice(base.length) : undefined

const asSocket = (address: string): string => address.replace(/^http/, 'ws')
