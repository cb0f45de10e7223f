// HTML of the consent page. Pure; all outside values are escaped here.
import { escapeHtml, page, pageHeaders } from '#platform/http/html.ts'
import { lifetimeSelect, type ShownWorkspace, workspaceSelect } from '../device/page.ts'
import { type AccessChoice, scopesShown } from '../device/page-choices.ts'
import { formTarget } from './redirects.ts'
import type { AuthorizeRequest } from './request.ts'
import type { ClientRow } from './store.ts'

export const lifetimeDefault = 30 * 24 * 3600

/** The response redirects to the client, so the page's policy must allow its address. */
export const consentHeaders = (redirectUri: string) => ({
  ...pageHeaders,
  'content-security-policy': pageHeaders['content-security-policy'].replace(
    "form-action 'self'",
    `form-action 'self' ${formTarget(redirectUri)}`,
  ),
})

const whereOf = (redirectUri: string): string => {
  const { protocol, host } = new URL(redirectUri)
  return host === '' ? protocol : host
}

const choiceField = (choice: AccessChoice, index: number): string => `<div><div class="choice">
<input type="radio" name="access" id="access-${choice.id}" value="${choice.id}"${index === 0 ? ' checked' : ''}>
<label for="access-${choice.id}">${escapeHtml(choice.label)} <span class="muted">${escapeHtml(choice.description)}</span></label></div>
<details><summary class="muted">Scopes</summary><table>${scopesShown(choice, 'api_key')
  .map(({ value, description }) => `<tr><td><code>${value}</code></td><td>${escapeHtml(description)}</td></tr>`)
  .join('')}</table></details></div>`

const hidden = (fields: Readonly<Record<string, string>>): string =>
  Object.entries(fields)
    .map(([name, value]) => `<input type="hidden" name="${name}" value="${escapeHtml(value)}">`)
    .join('')

export type ConsentView = {
  client: ClientRow
  request: AuthorizeRequest
  choices: readonly AccessChoice[]
  workspaces: readonly ShownWorkspace[]
  activeId: string
  email: string
}

/** The request is repeated in the form and validated again on submit. */
const carried = ({ request }: ConsentView) => ({
  response_type: 'code',
  client_id: request.clientId,
  redirect_uri: request.redirectUri,
  state: request.state,
  scope: request.asked.join(' '),
  code_challenge: request.codeChallenge,
  code_challenge_method: 'S256',
})

export const consentPage = (view: ConsentView): string => {
  const { client, request, choices, workspaces, activeId, email } = view
  return page(
    'Authorize a program',
    `<h1>Authorize ${escapeHtml(client.name)}?</h1>
<p>A program named <strong>${escapeHtml(client.name)}</strong> requests to act as <strong>${escapeHtml(email)}</strong>. Continue only if you started this yourself.</p>
<table>
${client.client_uri === '' ? '' : `<tr><th scope="row">Website</th><td>${escapeHtml(client.client_uri)}</td></tr>`}
<tr><th scope="row">Redirects to</th><td id="answered-at">${escapeHtml(whereOf(request.redirectUri))}</td></tr>
</table>
<form method="post" action="/oauth/authorize">
${hidden(carried(view))}
<label for="team_id">Workspace</label>
${workspaceSelect(workspaces, activeId)}
<fieldset><legend>Access</legend>
${choices.map(choiceField).join('\n')}
</fieldset>
<label for="lifetime">Expires after</label>
${lifetimeSelect(lifetimeDefault)}
<p class="muted">The access becomes one of your API keys, which you can revoke at any time. It can never answer approvals or reveal secrets.</p>
<div class="row"><button class="primary" name="decision" value="approve">Allow</button><button name="decision" value="deny">Deny</button></div>
</form>`,
  )
}

export const problemPage = (sentence: string): string =>
  page('Something went wrong', `<h1>Something went wrong</h1><p class="error" role="alert">${escapeHtml(sentence)}</p>`)
