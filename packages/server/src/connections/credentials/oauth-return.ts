// What a service sends a browser back with: read from a query or a form, and kept in a cookie while the visitor signs
// in. Never written down on the server: the code in it is worth a token.
export type OauthReturn = { state: string; code?: string; iss?: string; error?: string }

const longest = { state: 512, code: 8192, iss: 2048, error: 256 } as const

const names = ['code', 'iss', 'error'] as const

/** Null when there is no state, or something is longer than a service would send. */
export const readReturn = (source: unknown): OauthReturn | null => {
  const given = (source ?? {}) as Record<string, unknown>
  const text = (name: keyof typeof longest): string => (typeof given[name] === 'string' ? given[name] : '')
  const state = text('state')
  if (state === '' || state.length > longest.state || names.some((name) => text(name).length > longest[name]))
    return null
  return { state, ...Object.fromEntries(names.flatMap((name) => (text(name) === '' ? [] : [[name, text(name)]]))) }
}

export const returnCookie = 'oauth_return'

/** Browsers drop larger cookies without a word. */
const cookieBytes = 3_800

type Kept = OauthReturn & { slug: string }

/** Null when it is too large to be kept. */
export const packReturn = (slug: string, fields: OauthReturn): string | null => {
  const packed = Buffer.from(JSON.stringify({ slug, ...fields } satisfies Kept)).toString('base64url')
  return packed.length > cookieBytes ? null : packed
}

export const unpackReturn = (packed: string | null, slug: string): OauthReturn | null => {
  if (packed === null || packed === '') return null
  try {
    const kept = JSON.parse(Buffer.from(packed, 'base64url').toString()) as { slug?: unknown } | null
    return kept?.slug === slug ? readReturn(kept) : null
  } catch {
    // Anybody can write a cookie; one that is not ours is none.
    return null
  }
}
