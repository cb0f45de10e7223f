// Allowed redirect addresses of OAuth clients: TLS, this machine, or a custom scheme. Pure.

const loopback = /^(localhost|127\.0\.0\.1|\[::1\])$/

/** Schemes with a meaning in browsers. */
const browsers = new Set([
  'javascript:',
  'data:',
  'file:',
  'blob:',
  'about:',
  'vbscript:',
  'view-source:',
  'ftp:',
  'ws:',
  'wss:',
])

const isLoopback = ({ protocol, hostname }: URL): boolean => protocol === 'http:' && loopback.test(hostname)

export const redirectProblem = (text: string): string | null => {
  if (!URL.canParse(text)) return 'must be a URL'
  const url = new URL(text)
  if (url.hash !== '' || text.includes('#')) return 'must not have a fragment'
  if (url.username !== '' || url.password !== '') return 'must not have a user name'
  if (url.protocol === 'https:' || isLoopback(url)) return null
  if (url.protocol === 'http:') return 'must be an https address or a loopback address'
  return browsers.has(url.protocol) ? 'must be an https address' : null
}

/** Compared exactly as registered; on loopback the port may differ. */
export const isRegistered = (registered: readonly string[], requested: string): boolean => {
  if (registered.includes(requested)) return true
  if (!URL.canParse(requested)) return false
  const url = new URL(requested)
  if (!isLoopback(url)) return false
  const withoutPort = (text: string): string => {
    const one = new URL(text)
    one.port = ''
    return one.href
  }
  return registered.some((one) => isLoopback(new URL(one)) && withoutPort(one) === withoutPort(requested))
}

/** The form target for the page's policy, so that the browser follows the redirect. */
export const formTarget = (redirectUri: string): string => {
  const { protocol, origin } = new URL(redirectUri)
  return protocol === 'https:' || protocol === 'http:' ? origin : protocol
}
