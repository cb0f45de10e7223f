// The frame of server-rendered pages, without external scripts.
import { createHash } from 'node:crypto'
import { pageStyle } from './page-style.ts'

export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)

/** The content security policy permits only this style. */
const styleHash = createHash('sha256').update(pageStyle).digest('base64')

/**
 * No external resources, no framing, forms only to this origin. `same-origin` keeps the Origin header of form posts:
 * with `no-referrer`, browsers send `Origin: null` and the session cookie is refused.
 */
export const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy': `default-src 'none'; style-src 'sha256-${styleHash}'; img-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'`,
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
} as const

/** A mill wheel: the logo of the pages and the tab icon. */
export const favicon =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><g fill="none" stroke="#2457d6" stroke-width="3"><circle cx="16" cy="16" r="10"/><path d="M16 1v30M1 16h30M5.4 5.4l21.2 21.2M26.6 5.4 5.4 26.6"/></g><circle cx="16" cy="16" r="3.5" fill="#2457d6"/></svg>'

const header = `<header><nav aria-label="Main"><a class="brand" href="/"><img src="/favicon.svg" width="22" height="22" alt="">Millrace</a>
<a href="/">Home</a><a href="/guides">Guides</a><a href="/docs">API reference</a><a href="/device">Sign in a device</a></nav></header>`

/** `body` is HTML; the caller has escaped all external text in it. */
export const page = (title: string, body: string, { wide = false, script = '' } = {}): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>${escapeHtml(title)} · Millrace</title><link rel="icon" href="/favicon.svg" type="image/svg+xml"><style>${pageStyle}</style></head>
<body>${header}<main${wide ? ' class="wide"' : ''}>${body}</main>${script === '' ? '' : `<script>${script}</script>`}</body></html>`
