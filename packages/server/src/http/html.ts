// Plain server-rendered pages: one frame, no scripts from elsewhere.

export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)

const style = `
:root{color-scheme:light dark;--line:#8884;--soft:#8881;--accent:#2457d6}
*{box-sizing:border-box}body{font:16px/1.5 system-ui,sans-serif;margin:0}
header{border-bottom:1px solid var(--line)}nav{max-width:64rem;margin:auto;padding:.75rem 1.25rem;display:flex;flex-wrap:wrap;gap:.25rem 1.25rem;align-items:center}nav a{color:inherit;text-decoration:none;white-space:nowrap}nav a:hover{text-decoration:underline}nav .brand{font-weight:700;display:flex;gap:.5rem;align-items:center;margin-right:auto}
main{max-width:44rem;margin:3rem auto;padding:0 1.25rem}main.wide{max-width:64rem}
h1{font-size:1.6rem;line-height:1.2}h2{font-size:1.2rem;margin-top:2.5rem}
label{display:block;margin:1rem 0 .25rem;font-weight:600}
input,select{font:inherit;width:100%;padding:.55rem .7rem;border:1px solid var(--line);border-radius:.5rem;background:transparent;color:inherit}
input[type=checkbox],input[type=radio]{width:auto}
button{font:inherit;font-weight:600;padding:.6rem 1.1rem;border:1px solid var(--line);border-radius:.5rem;background:var(--soft);color:inherit;cursor:pointer}
button.primary{background:var(--accent);border-color:var(--accent);color:#fff}
.code{font:700 2rem ui-monospace,monospace;letter-spacing:.15em}
.muted{opacity:.7}.error{color:#c62828}.row{display:flex;gap:.75rem;margin-top:1.5rem}
code,pre{font-family:ui-monospace,monospace;font-size:.92em}pre{overflow:auto;padding:.75rem;background:var(--soft);border-radius:.5rem}
table{border-collapse:collapse;width:100%}td,th{text-align:left;padding:.35rem .6rem .35rem 0;border-bottom:1px solid var(--line);vertical-align:top}
fieldset{border:1px solid var(--line);border-radius:.5rem;margin:1.25rem 0;padding:.25rem 1rem .75rem}legend{font-weight:600;padding:0 .35rem}
.choice{display:flex;gap:.6rem;align-items:baseline;margin:.6rem 0 0}.choice label{margin:0}.choice .muted{font-weight:400}.choice~details{margin-left:1.6rem;border:0;padding:0}
details{border-bottom:1px solid var(--line);padding:.5rem 0}summary{cursor:pointer}`

/**
 * Nothing is loaded from elsewhere, nobody frames the page, forms post home. The referrer policy leaves the Origin of a
 * form post intact: with `no-referrer` browsers send `Origin: null`, and the cookie would not count.
 */
export const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; img-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
} as const

/** A mill wheel, drawn once: the mark of every page and the icon of its tab. */
export const favicon =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><g fill="none" stroke="#2457d6" stroke-width="3"><circle cx="16" cy="16" r="10"/><path d="M16 1v30M1 16h30M5.4 5.4l21.2 21.2M26.6 5.4 5.4 26.6"/></g><circle cx="16" cy="16" r="3.5" fill="#2457d6"/></svg>'

const header = `<header><nav aria-label="Main"><a class="brand" href="/"><img src="/favicon.svg" width="22" height="22" alt="">Millrace</a>
<a href="/">Home</a><a href="/guides">Guides</a><a href="/docs">API reference</a><a href="/device">Sign in a device</a></nav></header>`

/** `body` is HTML; everything in it that came from outside has been escaped by the caller. */
export const page = (title: string, body: string, { wide = false, script = '' } = {}): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>${escapeHtml(title)} · Millrace</title><link rel="icon" href="/favicon.svg" type="image/svg+xml"><style>${style}</style></head>
<body>${header}<main${wide ? ' class="wide"' : ''}>${body}</main>${script === '' ? '' : `<script>${script}</script>`}</body></html>`
