// Plain server-rendered pages: one frame, no scripts from elsewhere.

export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)

const style = `
:root{color-scheme:light dark;--line:#8884;--soft:#8881;--accent:#2457d6}
*{box-sizing:border-box}body{font:16px/1.5 system-ui,sans-serif;margin:0}
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

/** `body` is HTML; everything in it that came from outside has been escaped by the caller. */
export const page = (title: string, body: string, { wide = false, script = '' } = {}): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>${escapeHtml(title)} · Millrace</title><style>${style}</style></head>
<body><main${wide ? ' class="wide"' : ''}>${body}</main>${script === '' ? '' : `<script>${script}</script>`}</body></html>`
