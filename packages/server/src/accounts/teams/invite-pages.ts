// HTML of the invite pages. Pure; all outside values are escaped here.
import type { InviteInfo } from '@millrace/contract/teams'
import { escapeHtml, page } from '#platform/http/html.ts'

const heading = 'You are invited'

const summary = (invite: InviteInfo): string =>
  `<h1>${heading}</h1>
<p><strong>${escapeHtml(invite.invited_by)}</strong> invites ${escapeHtml(invite.email)} to the workspace
<strong id="team">${escapeHtml(invite.team.name)}</strong>${
    invite.org_name === undefined ? '' : ` of ${escapeHtml(invite.org_name)}`
  } as ${invite.role}.</p>`

/** For a visitor who has to sign in first. */
export const signedOutPage = (invite: InviteInfo, signInUrl: string): string =>
  page(
    heading,
    `${summary(invite)}
<p>Sign in as ${escapeHtml(invite.email)} to answer. To answer with another account, sign in to that one first and open the link of the mail again.</p>
<p><a href="${escapeHtml(signInUrl)}">Sign in</a></p>`,
  )

/** `token` is empty for the account of the invited mailbox itself. */
export const answerPage = (invite: InviteInfo, account: { email: string; token: string }): string =>
  page(
    heading,
    `${summary(invite)}
<p>You are signed in as <strong>${escapeHtml(account.email)}</strong>.</p>
<form method="post" action="/invite">
<input type="hidden" name="id" value="${escapeHtml(invite.id)}">
${account.token === '' ? '' : `<input type="hidden" name="token" value="${escapeHtml(account.token)}">`}
<div class="row"><button class="primary" name="decision" value="accept">Accept</button><button name="decision" value="decline">Decline</button></div>
</form>`,
  )

const endings: Record<InviteInfo['status'], string> = {
  pending: '',
  accepted: 'It has been accepted.',
  declined: 'It has been declined.',
  expired: 'It has expired.',
  revoked: 'It has been withdrawn.',
}

export const closedPage = (status: InviteInfo['status']): string =>
  page(heading, `<h1>This invite is closed</h1><p role="alert">${endings[status]} Ask for a new one.</p>`)

export const acceptedPage = (next: string): string =>
  page(heading, `<h1>Welcome</h1><p>You are a member now. <a href="${escapeHtml(next)}">Continue</a></p>`)

export const declinedPage = (): string =>
  page(heading, '<h1>Declined</h1><p>You declined the invite. You can close this page.</p>')

export const problemPage = (detail: string): string =>
  page(heading, `<h1>Something went wrong</h1><p role="alert">${escapeHtml(detail)}</p>`)
