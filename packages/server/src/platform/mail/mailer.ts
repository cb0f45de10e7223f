// Outgoing mail: through SMTP if configured, otherwise printed to the log, so that a new installation works.
import type { Logger } from 'pino'
import { wireTime } from '../core/times.ts'
import type { Settings } from '../settings/settings.ts'

declare module '../core/ctx.ts' {
  interface Platform {
    readonly mailer: Mailer
  }
}

export type Mail = { to: string; subject: string; text: string }

export type PrintedMail = Mail & { sent_at: string }

export type Mailer = {
  send(mail: Mail): Promise<void>
  /** The last printed mails, newest first; empty with SMTP. */
  printed(): readonly PrintedMail[]
}

const maxPrinted = 50
const smtpLimitMs = 20_000

export const createMailer = (
  settings: Settings,
  { log, print, now }: { log: Logger; print: (text: string) => void; now: () => Date },
): Mailer => {
  if (settings.SMTP_URL !== undefined) return smtpMailer(settings.SMTP_URL, settings.MAIL_FROM, log)
  const printed: PrintedMail[] = []
  return {
    send: async (mail) => {
      printed.unshift({ ...mail, sent_at: wireTime(now()) })
      printed.length = Math.min(printed.length, maxPrinted)
      print(`\n  Mail to ${mail.to}: ${mail.subject}\n${mail.text.replace(/^/gm, '    ')}\n`)
    },
    printed: () => printed,
  }
}

const smtpMailer = (smtpUrl: string, from: string, log: Logger): Mailer => {
  // Loaded at the first mail, because most servers never send one.
  const transport = async () => {
    const { createTransport } = await import('nodemailer')
    return createTransport(
      {
        url: smtpUrl,
        connectionTimeout: smtpLimitMs,
        greetingTimeout: smtpLimitMs,
        socketTimeout: smtpLimitMs,
        disableFileAccess: true,
        disableUrlAccess: true,
      },
      { from },
    )
  }
  let opened: ReturnType<typeof transport> | undefined
  return {
    send: async ({ to, subject, text }) => {
      opened ??= transport()
      // An object, so that a comma in an address cannot add a second recipient.
      await (await opened).sendMail({ to: { name: '', address: to }, subject, text })
      log.info({ subject }, 'mail sent')
    },
    printed: () => [],
  }
}
