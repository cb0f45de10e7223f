// Parses a User-Agent to show a person which device a session belongs to. Never used for a decision.

export type Client = { readonly browser: string; readonly browser_version: string; readonly os: string }

const maxLength = 512

// Order matters: every browser also names its ancestors.
const browsers: readonly (readonly [name: string, pattern: RegExp])[] = [
  ['Edge', /\b(?:Edg|EdgA|EdgiOS|Edge)\/([\d.]+)/],
  ['Opera', /\b(?:OPR|Opera)\/([\d.]+)/],
  ['Firefox', /\b(?:Firefox|FxiOS)\/([\d.]+)/],
  ['Chrome', /\b(?:HeadlessChrome|Chrome|CriOS|Chromium)\/([\d.]+)/],
  ['Safari', /\bVersion\/([\d.]+).*\bSafari\//],
]

const systems: readonly (readonly [name: string, pattern: RegExp])[] = [
  ['iOS', /\b(?:iPhone|iPad|iPod|iOS)\b/i],
  ['Android', /\bAndroid\b/i],
  ['ChromeOS', /\bCrOS\b/],
  ['Windows', /\b(?:Windows|win32|Win64)\b/i],
  ['macOS', /\b(?:Macintosh|Mac OS X|macOS|darwin)\b/i],
  ['Linux', /\b(?:Linux|X11)\b/i],
]

// RFC 7231: product = token ["/" product-version], both made of token characters.
const productPattern = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+)(?:\/([!#$%&'*+.^_`|~0-9A-Za-z-]+))?/

export const parseUserAgent = (header: string): Client => {
  const text = header.trim().slice(0, maxLength)
  const os = systems.find(([, pattern]) => pattern.test(text))?.[0] ?? ''
  const [, product = '', version = ''] = productPattern.exec(text) ?? []
  if (product !== 'Mozilla') return { browser: product, browser_version: version, os }
  for (const [browser, pattern] of browsers) {
    const match = pattern.exec(text)
    if (match) return { browser, browser_version: match[1] ?? '', os }
  }
  return { browser: '', browser_version: '', os }
}
