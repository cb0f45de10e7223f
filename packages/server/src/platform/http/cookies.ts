// Cookies. Their values are base64url, so no quoting is needed.

export const serialiseCookie = (
  name: string,
  value: string,
  { maxAgeSeconds, httpOnly, secure }: { maxAgeSeconds: number; httpOnly: boolean; secure: boolean },
): string =>
  [
    `${name}=${value}`,
    'Path=/',
    `Max-Age=${maxAgeSeconds}`,
    'SameSite=Lax',
    ...(httpOnly ? ['HttpOnly'] : []),
    ...(secure ? ['Secure'] : []),
  ].join('; ')

export const readCookie = (header: string | undefined, name: string): string | null => {
  if (header === undefined) return null
  for (const part of header.split(';')) {
    const equals = part.indexOf('=')
    if (equals > 0 && part.slice(0, equals).trim() === name) return part.slice(equals + 1).trim()
  }
  return null
}
