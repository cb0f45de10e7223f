// Where a program may have the browser sent back to: over TLS, to this very machine, or to a scheme of the program's own.
// Pure.

const loopback = /^(localhost|127\.0\.0\.1|\[::1\])$/

/** Schemes that a browser itself gives a meaning to. */
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
  if (!URL.canParse(text)) return 'is no address'
  const url = new URL(text)
  if (url.hash !== '' || text.includes('#')) return 'must have no fragment'
  if (url.username !== '' || url.password !== '') return 'must hold no user name'
  if (url.protocol === 'https:' || isLoopback(url)) return null
  if (url.protocol === 'http:') return 'must be an https address, or one of this machine'
  return browsers.has(url.protocol) ? 'must be an https address' : null
}

/** Exactly as registered; on this machine a program may listen at another port each time. */
export const isRegistered = (registered: readonly string[], asked: string): boolean => {
  if (registered.includes(asked)) return true
  if (!URL.canParse(asked)) return false
  const url = new URL(asked)
  if (!isLoopback(url)) return false
  const withoutPort = (text: string): string => {
    const one = new URL(text)
    one.port = ''
    return one.href
  }
  return registered.some((one) => isLoopback(new URL(one)) && withoutPort(one) === withoutPort(asked))
}

/** What a page's policy must let a form lead to, so that the browser follows the redirect. */
export const formTarget = (redirectUri: string): string => {
  const { protocol, origin } = new URL(redirectUri)
  return protocol === 'https:' || protocol === 'http:' ? origin : protocol
}
