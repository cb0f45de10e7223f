// HTML of the approval page. Pure; all outside values are escaped here.
import { escapeHtml, page } from '#platform/http/html.ts'
import { parseUserAgent } from '../sessions/user-agent.ts'
import { choicesFor, lifetimeChoices, lifetimeDefault, type RequestedAccess, scopesShown } from './page-choices.ts'

export type ShownDevice = RequestedAccess & {
  readonly user_code: string
  readonly client_name: string
  readonly ip: string
}

export type ShownWorkspace = { readonly id: string; readonly name: string; readonly username: string }

export const workspaceSelect = (workspaces: readonly ShownWorkspace[], chosenId: string): string => {
  const options = workspaces.map(
    ({ id, name, username }) =>
      `<option value="${escapeHtml(id)}"${id === chosenId ? ' selected' : ''}>${escapeHtml(`${name} (${username})`)}</option>`,
  )
  return `<select id="team_id" name="team_id">${options.join('')}</select>`
}

export const lifetimeSelect = (chosenSeconds: number): string => {
  const options = lifetimeChoices.map(
    ({ seconds, label }) =>
      `<option value="${seconds}"${seconds === chosenSeconds ? ' selected' : ''}>${label}</option>`,
  )
  return `<select id="lifetime" name="lifetime">${options.join('')}</select>`
}

const heading = 'Sign in a device'

export const codePage = ({ typed = '', problem = '' } = {}): string =>
  page(
    heading,
    `<h1>${heading}</h1>
<p>Enter the code that your device shows.</p>
${problem === '' ? '' : `<p class="error" role="alert">${escapeHtml(problem)}</p>`}
<form method="get" action="/device">
<label for="code">Code</label>
<input id="code" name="code" value="${escapeHtml(typed)}" placeholder="XXXX-XXXX" autocomplete="off" autocapitalize="characters" spellcheck="false" autofocus required>
<div class="row"><button class="primary">Continue</button></div>
</form>`,
  )

const describeClient = (userAgent: string): string => {
  if (userAgent === '') return 'unknown'
  const { browser, browser_version: version, os } = parseUserAgent(userAgent)
  const name = [browser, version].filter(Boolean).join(' ')
  const known = [name, os].filter(Boolean).join(' on ')
  return known === '' || known === userAgent
    ? escapeHtml(userAgent)
    : `${escapeHtml(known)}<br><span class="muted">${escapeHtml(userAgent)}</span>`
}

const accessField = (device: ShownDevice): string =>
  choicesFor(device)
    .map(
      (choice, index) => `<div><div class="choice">
<input type="radio" name="access" id="access-${choice.id}" value="${choice.id}"${index === 0 ? ' checked' : ''}>
<label for="access-${choice.id}">${escapeHtml(choice.label)} <span class="muted">${escapeHtml(choice.description)}</span></label></div>
<details><summary class="muted">Scopes</summary><table>${scopesShown(choice, device.token_kind)
        .map(({ value, description }) => `<tr><td><code>${value}</code></td><td>${escapeHtml(description)}</td></tr>`)
        .join('')}</table></details></div>`,
    )
    .join('\n')

export const approvalPage = (
  device: ShownDevice,
  { workspaces, chosenId, email }: { workspaces: readonly ShownWorkspace[]; chosenId: string; email: string },
): string =>
  page(
    heading,
    `<h1>${heading}</h1>
<p>A device requests to act as <strong>${escapeHtml(email)}</strong>. Continue only if you started this yourself and the device shows this code:</p>
<p class="code" id="user-code">${escapeHtml(device.user_code)}</p>
<table>
<tr><th scope="row">Client</th><td id="client">${describeClient(device.client_name)}</td></tr>
<tr><th scope="row">Address</th><td id="address">${escapeHtml(device.ip === '' ? 'unknown' : device.ip)}</td></tr>
<tr><th scope="row">Requests</th><td>${device.token_kind === 'session' ? 'a sign-in session' : 'an API key'}</td></tr>
</table>
<form method="post" action="/device">
<input type="hidden" name="code" value="${escapeHtml(device.user_code)}">
<label for="team_id">Workspace</label>
${workspaceSelect(workspaces, chosenId)}
<fieldset><legend>Access</legend>
${accessField(device)}
</fieldset>
<label for="lifetime">Signed in for</label>
${lifetimeSelect(lifetimeDefault)}
<div class="row"><button class="primary" name="decision" value="approve">Approve</button><button name="decision" value="deny">Deny</button></div>
</form>`,
  )

export const approvedPage = (claimCode: string | null): string =>
  page(
    'Device approved',
    `<h1>Device approved</h1>
${
  claimCode === null
    ? '<p>Your device signs in within a few seconds. You can close this page.</p>'
    : `<p>If your device asks for six digits, enter these within five minutes. Do not share them.</p>
<p class="code" id="claim-code">${claimCode}</p>`
}`,
  )

export const deniedPage = (): string =>
  page(
    'Device refused',
    '<h1>Sign-in denied</h1><p>Nothing was signed in. If you did not start this, nobody has gained access.</p>',
  )

export const problemPage = (title: string, detail: string): string =>
  page(
    title,
    `<h1>${escapeHtml(title)}</h1><p role="alert">${escapeHtml(detail)}</p><p><a href="/device">Enter a code</a></p>`,
  )
