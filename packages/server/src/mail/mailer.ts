// Outgoing mail: through SMTP when a server is set, otherwise printed by the server so that a fresh install works.
import type { Logger } from 'pino'
import type { Settings } from '../settings.ts'

export type Mail = { to: string; subject: string; text: string }

export type Mailer = {
  send(mail: Mail): Promise<void>
  /** The last mails that were printed; empty when SMTP carries them. */
  printed(): readonly (Mail & { sent_at: string })[]
}

const printedKept = 50

export const createMailer = (
  settings: Settings,
  { log, print, now }: { log: Logger; print: (text: string) => void; now: () => Date },
): Mailer => {
  if (settings.SMTP_URL !== undefined) return smtpMailer(settings.SMTP_URL, settings.MAIL_FROM, log)
  const printed: (Mail & { sent_at: string })[] = []
  return {
    send: async (mail) => {
      printed.unshift({ ...mail, sent_at: now().toISOString() })
      printed.length = Math.min(printed.length, printedKept)
      print(`\n  Mail to ${mail.to}: ${mail.subject}\n${mail.text.replace(/^/gm, '    ')}\n`)
    },
    printed: () => printed,
  }
}

const smtpMailer = (smtpUrl: string, from: string, log: Logger): Mailer => {
  // Loaded on the first mail: most starts never send one.
  const transport = async () => {
    const { createTransport } = await import('nodemailer')
    return createTransport(smtpUrl, { from })
  }
  let opened: ReturnType<typeof transport> | undefined
  return {
    send: async ({ to, subject, text }) => {
      opened ??= transport()
      await (await opened).sendMail({ to, subject, text })
      log.info({ subject }, 'mail sent')
    },
    printed: () => [],
  }
}
