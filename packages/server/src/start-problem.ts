// Why the program could not start, in words for the person who started it. What nobody foresaw stays an error with its
// stack.
import { type Settings, SettingsError } from './settings.ts'

type Known = Pick<Settings, 'HOST' | 'PORT' | 'DATABASE_URL'>

const unreachable = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENOENT'])

/** `settings` are unknown while they are what is wrong. */
export const startProblem = (error: unknown, settings?: Known): string | null => {
  if (!(error instanceof Error)) return null
  if (error instanceof SettingsError) return `${error.message}\n\nnpm start -- --help lists the settings.`
  const { code, syscall } = error as NodeJS.ErrnoException
  if (settings && syscall === 'listen') return listenProblem(code, error.message, settings)
  // The address may hold a password: only the reason is told.
  if (settings?.DATABASE_URL !== undefined && code !== undefined && unreachable.has(code))
    return `The database of DATABASE_URL cannot be reached (${code}). Check the address, and that the database runs.`
  // Sentences of our own, with or without what the system said about it.
  if (code !== undefined) return null
  const { cause } = error
  if (cause === undefined) return error.message
  const reason = (cause as NodeJS.ErrnoException).code
  return reason === undefined ? null : `${error.message} (${reason})`
}

const listenProblem = (code: string | undefined, message: string, { HOST, PORT }: Known): string => {
  if (code === 'EADDRINUSE')
    return `Port ${PORT} of ${HOST} is taken by another program. Stop it, or set PORT to another port (0 picks a free one).`
  if (code === 'EACCES') return `Port ${PORT} may not be opened by this user. Set PORT to one above 1023.`
  if (code === 'EADDRNOTAVAIL') return `HOST ${HOST} is no address of this machine.`
  return message
}
