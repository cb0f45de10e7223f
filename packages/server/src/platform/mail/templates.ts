// Templates of all mails, in plain text. Pure.
import type { Mail } from './mailer.ts'

/** User-chosen names are limited to one line and a maximum length. */
const oneLine = (text: string): string =>
  text
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()
    .slice(0, 100)

export const signInMail = (mail: { to: string; link: string; code: string }): Mail => ({
  to: mail.to,
  // Without the code, because subjects are logged and shown on locked screens.
  subject: 'Sign in to Millrace',
  text: `Sign in to Millrace with this link (valid for 15 minutes, works once):

${mail.link}

Or type this code (valid for 10 minutes): ${mail.code}

If you did not ask for this, ignore this mail. Nobody can sign in without it.
`,
})

export const inviteMail = (mail: {
  to: string
  teamName: string
  /** Name or address of the inviting person. */
  invitedBy: string
  role: string
  link: string
  expiresAt: string
}): Mail => ({
  to: mail.to,
  subject: `${oneLine(mail.invitedBy)} invites you to ${oneLine(mail.teamName)} on Millrace`,
  text: `${oneLine(mail.invitedBy)} invites you to the workspace ${oneLine(mail.teamName)} as ${mail.role}.

Answer the invitation here (valid until ${mail.expiresAt.slice(0, 10)}):

${mail.link}

If you do not know the sender, ignore this mail.
`,
})
