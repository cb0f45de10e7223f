// HTML of the sign-in pages. Pure; all outside values are escaped here. Plain forms without scripts.
import { escapeHtml, page } from '#platform/http/html.ts'

const problemLine = (problem: string): string =>
  problem === '' ? '' : `<p class="error" role="alert">${escapeHtml(problem)}</p>`

const hidden = (name: string, value: string): string =>
  value === '' ? '' : `<input type="hidden" name="${name}" value="${escapeHtml(value)}">`

const emailField = (email: string): string =>
  `<label for="email">Email address</label>
<input id="email" name="email" type="email" value="${escapeHtml(email)}" autocomplete="email" autofocus required>`

const codeField = (label: string): string =>
  `<label for="code">${label}</label>
<input id="code" name="code" inputmode="numeric" autocomplete="one-time-code" placeholder="000000" maxlength="32" autofocus required>`

export type SignInForm = { email?: string; redirectTo?: string; problem?: string; singleSignOn: boolean }

export const signInPage = ({ email = '', redirectTo = '', problem = '', singleSignOn }: SignInForm): string => {
  const query = redirectTo === '' ? '' : `?${new URLSearchParams({ redirect_to: redirectTo })}`
  return page(
    'Sign in',
    `<h1>Sign in to Millrace</h1>
${problemLine(problem)}
<form method="post" action="/sign-in">
${hidden('redirect_to', redirectTo)}
${emailField(email)}
<p class="muted">We send you a link and a code. A new address gets a new account.</p>
<div class="row"><button class="primary">Send me a code</button></div>
</form>
${singleSignOn ? `<p><a href="/auth/oidc/start${escapeHtml(query)}">Use single sign-on</a></p>` : ''}`,
  )
}

/** Without a mail server, the link and the code are in the output of the server. */
const mailLocation = (email: string, mailed: boolean): string =>
  mailed
    ? `<h1>Check your mail</h1>
<p>If ${escapeHtml(email)} can sign in here, a mail with a link and a code is on its way.</p>`
    : `<h1>Check the server's output</h1>
<p>This installation has no mail server, so nothing was sent. If ${escapeHtml(email)} can sign in here, the link and the code are printed in the terminal or the log of <code>npm start</code>.</p>
<p class="muted">Set <code>SMTP_URL</code> to send mail, or use <code>npx millrace admin sign-in --email …</code> on the server.</p>`

export const codePage = ({
  email,
  mailed,
  redirectTo = '',
  problem = '',
}: {
  email: string
  mailed: boolean
  redirectTo?: string
  problem?: string
}): string =>
  page(
    'Enter your code',
    `${mailLocation(email, mailed)}
${problemLine(problem)}
<form method="post" action="/sign-in/code">
${hidden('email', email)}${hidden('redirect_to', redirectTo)}
${codeField('Six-digit code')}
<div class="row"><button class="primary">Sign in</button></div>
</form>
<p><a href="/sign-in?${escapeHtml(new URLSearchParams(redirectTo === '' ? { email } : { email, redirect_to: redirectTo }).toString())}">Use another address or send again</a></p>`,
  )

/** Opening the link does not sign in, because mail scanners and image previews open links too. The button signs in. */
export const linkPage = ({ token, email, teamId = '' }: { token: string; email: string; teamId?: string }): string =>
  page(
    'Sign in',
    `<h1>Sign in to Millrace</h1>
<p>Sign in as <strong>${escapeHtml(email)}</strong></p>
<form method="post" action="/sign-in/link">
${hidden('token', token)}${hidden('team_id', teamId)}
<div class="row"><button class="primary" autofocus>Sign in</button></div>
</form>`,
  )

export const authenticatorPage = ({ teamId = '', problem = '' } = {}): string =>
  page(
    'Authenticator',
    `<h1>One more step</h1>
<p>Your account is protected by an authenticator. Enter its current code, or one of your recovery codes.</p>
${problemLine(problem)}
<form method="post" action="/sign-in/authenticator">
${hidden('team_id', teamId)}
${codeField('Code of the authenticator')}
<div class="row"><button class="primary">Sign in</button></div>
</form>
<p><a href="/sign-in">Start again</a></p>`,
  )

export const setupPage = ({
  token,
  email = '',
  problem = '',
}: {
  token: string
  email?: string
  problem?: string
}): string =>
  page(
    'Welcome',
    `<h1>Welcome to your Millrace</h1>
<p>This installation is empty. The address you enter becomes its owner and is signed in immediately.</p>
${problemLine(problem)}
<form method="post" action="/sign-in/setup">
${hidden('token', token)}
${emailField(email)}
<div class="row"><button class="primary">Become the owner</button></div>
</form>`,
  )

/** No account exists yet, so there is no sign-in page to link to. */
export const badSetupPage = (problem: string): string =>
  page(
    'Welcome',
    `<h1>This set-up link does not work</h1>${problemLine(problem)}
<p class="muted">The output of the last <code>npm start</code> shows the newest link.</p>`,
  )

/** Shown instead of the sign-in form while only the operator can create the first account. */
export const unclaimedPage = (): string =>
  page(
    'Welcome',
    `<h1>This installation has no owner yet</h1>
<p>To create the first account, open the set-up link in the output of <code>npm start</code> or the server log, or run <code>npx millrace admin sign-in --email …</code> on the server.</p>`,
  )

/** The set-up link stops working once an account exists. */
export const ownedPage = (signInUrl: string): string =>
  page(
    'Welcome',
    `<h1>This installation already has an owner</h1>
<p>The set-up link was already used. If you have an account here, sign in at <a href="${escapeHtml(signInUrl)}">${escapeHtml(signInUrl)}</a>.</p>`,
  )

export type HomeView = {
  email: string
  workspaces: readonly { name: string; username: string; role: string }[]
}

export const homePage = ({ email, workspaces }: HomeView): string =>
  page(
    'Home',
    `<h1>Millrace</h1>
<p>You are signed in as <strong>${escapeHtml(email)}</strong>.</p>
<h2>Your workspaces</h2>
<table><thead><tr><th>Name</th><th>Namespace</th><th>Your role</th></tr></thead><tbody>
${workspaces
  .map(
    ({ name, username, role }) =>
      `<tr><td>${escapeHtml(name)}</td><td><code>${escapeHtml(username)}</code></td><td>${escapeHtml(role)}</td></tr>`,
  )
  .join('')}
</tbody></table>
<p><a href="/guides">Guides</a> · <a href="/docs">API reference</a> · <a href="/device">Sign in a device</a></p>
<form method="post" action="/sign-in/sign-out"><div class="row"><button>Sign out</button></div></form>`,
  )

export const problemPage = (problem: string): string =>
  page(
    'Sign in',
    `<h1>Something went wrong</h1>${problemLine(problem)}<p><a href="/sign-in">Go to the sign-in page</a></p>`,
  )
