// Mail is queued as a job in the transaction of its cause, so it survives crashes and an unreachable mail server. The
// row is encrypted, because a mail may contain a sign-in link.
import { newId } from '@millrace/contract/ids'
import type { Platform } from '../core/ctx.ts'
import { inJobQueue, type JobHandler } from '../jobs/jobs.ts'
import { platformKeyTeam } from '../keyring/keyring.ts'
import type { Mail } from './mailer.ts'

export const mailJob = 'mail.send'

const maxAttempts = 10
const binding = (id: string) => `mail/${id}`

/** `notAfter`: later, the mail is useless and is dropped. */
export const queueMail = async (
  { db, jobs, keyring }: Pick<Platform, 'db' | 'jobs' | 'keyring'>,
  mail: Mail,
  { notAfter }: { notAfter?: Date } = {},
): Promise<void> => {
  const id = newId()
  const sealed = await keyring.seal(db, platformKeyTeam, JSON.stringify(mail), binding(id))
  const payload = { id, sealed: sealed.toString('base64'), ...(notAfter ? { not_after: notAfter.toISOString() } : {}) }
  await jobs.add(db, mailJob, payload, { maxAttempts })
}

/** A mail may be sent twice if the server dies between sending it and marking the job as done. */
export const mailHandler = ({ db, keyring, mailer, now }: Platform): JobHandler =>
  inJobQueue('mail', async (payload) => {
    const { id, sealed, not_after } = payload as { id: string; sealed: string; not_after?: string }
    if (not_after !== undefined && Date.parse(not_after) <= now().getTime()) return
    const plain = await keyring.open(db, Buffer.from(sealed, 'base64'), binding(id))
    await mailer.send(JSON.parse(plain.toString()) as Mail)
  })
