// HTML pages for the return from a service. Pure; all outside values are escaped here.
import { createHash } from 'node:crypto'
import { escapeHtml, page, pageHeaders } from '#platform/http/html.ts'
import type { OauthReturn } from './oauth-return.ts'

const title = 'Connect a service'

/** Submits the form automatically; without scripts the button remains. */
const script = 'document.forms[0].submit()'

export const finishHeaders = {
  ...pageHeaders,
  'content-security-policy': `${pageHeaders['content-security-policy']}; script-src 'sha256-${createHash('sha256').update(script).digest('base64')}'`,
}

const hidden = (fields: OauthReturn): string =>
  Object.entries(fields)
    .map(([name, value]) => `<input type="hidden" name="${name}" value="${escapeHtml(value)}">`)
    .join('')

export type PendingSignIn = { displayName: string; teamName: string }

export const finishPage = (slug: string, { displayName, teamName }: PendingSignIn, fields: OauthReturn): string =>
  page(
    title,
    `<h1>Back from ${escapeHtml(displayName)}</h1>
<p>Connecting the workspace <strong>${escapeHtml(teamName)}</strong> …</p>
<form method="post" action="/settings/secrets/oauth/${encodeURIComponent(slug)}">${hidden(fields)}
<div class="row"><button class="primary">Finish</button></div></form>`,
    { script },
  )

/** The console looks for this heading in the window it opened, and closes the window; other visitors read it. */
export const connectedPage = ({ displayName, teamName }: PendingSignIn, account: string): string =>
  page(
    title,
    `<h1 id="connected">${escapeHtml(displayName)} is connected</h1>
<p>The workspace <strong>${escapeHtml(teamName)}</strong> can use it${account === '' ? '' : `, as <strong id="account">${escapeHtml(account)}</strong>`}. You can close this page.</p>`,
  )

export const deniedPage = ({ displayName }: PendingSignIn): string =>
  page(
    title,
    `<h1>${escapeHtml(displayName)} is not connected</h1>
<p role="alert">The sign-in was denied there. Nothing was changed; you can start again at any time.</p>`,
  )

export const problemPage = (problem: string): string =>
  page(title, `<h1>Something went wrong</h1><p class="error" role="alert">${escapeHtml(problem)}</p>`)
