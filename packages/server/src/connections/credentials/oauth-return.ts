// The parameters of a redirect back from a service, read from a query or a form and stored in a cookie while the
// visitor signs in. Never stored on the server, because the code can be exchanged for a token.
import { parseUntrustedJson } from '@millrace/contract/parse-untrusted'
export type OauthReturn = { state: string; code?: string; iss?: string; error?: string }

const longest = { state: 512, code: 8192, iss: 2048, error: 256 } as const

const names = ['code', 'iss', 'error'] as const

/** Null without a state, or when a value is longer than any service sends. */
export const readReturn = (source: unknown): OauthReturn | null => {
  const given = (source ?? {}) as Record<string, unknown>
  const text = (name: keyof typeof longest): string => (typeof given[name] === 'string' ? given[name] : '')
  const state = text('state')
  if (state === '' || state.length > longest.state || names.some((name) => text(name).length > longest[name]))
    return null
  return { state, ...Object.fromEntries(names.flatMap((name) => (text(name) === '' ? [] : [[name, text(name)]]))) }
}

export const returnCookie = 'oauth_return'

/** Browsers silently drop larger cookies. */
const cookieBytes = 3_800

type PackedReturn = OauthReturn & { slug: string }

/** Null when it is too large for a cookie. */
export const packReturn = (slug: string, fields: OauthReturn): string | null => {
  const packed = Buffer.from(JSON.stringify({ slug, ...fields } satisfies PackedReturn)).toString('base64url')
  return packed.length > cookieBytes ? null : packed
}

export const unpackReturn = (packed: string | null, slug: string): OauthReturn | null => {
  if (packed === null || packed === '') return null
  try {
    const parsed = parseUntrustedJson(Buffer.from(packed, 'base64url').toString()) as { slug?: unknown } | null
    return parsed?.slug === slug ? readReturn(parsed) : null
  } catch {
    // Anyone can write a cookie; an invalid one is ignored.
    return null
  }
}
