// The HTML of coming back from a service. Pure: values in, text out; everything from outside is escaped here.
import { createHash } from 'node:crypto'
import { escapeHtml, page, pageHeaders } from '#platform/http/html.ts'
import type { OauthReturn } from './oauth-return.ts'

const title = 'Connect a service'

/** Spares a click; without scripts the button is there. */
const script = 'document.forms[0].submit()'

export const finishHeaders = {
  ...pageHeaders,
  'content-security-policy': `${pageHeaders['content-security-policy']}; script-src 'sha256-${createHash('sha256').update(script).digest('base64')}'`,
}

const hidden = (fields: OauthReturn): string =>
  Object.entries(fields)
    .map(([name, value]) => `<input type="hidden" name="${name}" value="${escapeHtml(value)}">`)
    .join('')

export type Pending = { displayName: string; teamName: string }

export const finishPage = (slug: string, { displayName, teamName }: Pending, fields: OauthReturn): string =>
  page(
    title,
    `<h1>Back from ${escapeHtml(displayName)}</h1>
<p>One moment: the workspace <strong>${escapeHtml(teamName)}</strong> is being connected.</p>
<form method="post" action="/settings/secrets/oauth/${encodeURIComponent(slug)}">${hidden(fields)}
<div class="row"><button class="primary">Finish</button></div></form>`,
    { script },
  )

/** The console finds the heading in the window that it opened, and closes it; anybody else reads on. */
export const connectedPage = ({ displayName, teamName }: Pending, account: string): string =>
  page(
    title,
    `<h1 id="connected">${escapeHtml(displayName)} is connected</h1>
<p>The workspace <strong>${escapeHtml(teamName)}</strong> can use it from now on${account === '' ? '' : `, as <strong id="account">${escapeHtml(account)}</strong>`}. You can close this page.</p>`,
  )

export const deniedPage = ({ displayName }: Pending): string =>
  page(
    title,
    `<h1>${escapeHtml(displayName)} is not connected</h1>
<p role="alert">The sign-in was denied there. Nothing was changed; begin again whenever you like.</p>`,
  )

export const problemPage = (problem: string): string =>
  page(title, `<h1>This did not work</h1><p class="error" role="alert">${escapeHtml(problem)}</p>`)
