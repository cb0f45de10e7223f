// Explains a failed start to the operator. An unexpected error is shown with its message and stack, never with its
// other fields, which can contain connections and credentials.
import { type Settings, SettingsError } from '#platform/settings/settings.ts'

type Known = Pick<Settings, 'HOST' | 'PORT' | 'DATABASE_URL'>

/** SQLSTATE codes that the operator can fix. */
const databaseSentences: Record<string, string> = {
  '3D000': 'The database named in DATABASE_URL does not exist. Create it, or correct the name.',
  '28P01': 'The database refused the user name or password in DATABASE_URL.',
  '28000': 'The database refused the user in DATABASE_URL.',
  '53300': 'The database has no free connections. Increase its max_connections, or close other connections.',
  '42501': 'The user in DATABASE_URL may not create tables there.',
}

const unreachable = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENOENT'])

/** `settings` are undefined if they are invalid themselves. */
export const startProblem = (error: unknown, settings?: Known): string => {
  if (!(error instanceof Error)) return `The program could not start: ${String(error)}`
  if (error instanceof SettingsError) return `${error.message}\n\nnpm start -- --help lists the settings.`
  const { code, syscall } = error as NodeJS.ErrnoException
  if (settings && syscall === 'listen') return listenProblem(code, error.message, settings)
  // The URL may contain a password, so only the code is shown.
  if (settings?.DATABASE_URL !== undefined && code !== undefined && unreachable.has(code))
    return `The database of DATABASE_URL cannot be reached (${code}). Check the address, and that the database runs.`
  if (settings?.DATABASE_URL !== undefined && code !== undefined && databaseSentences[code])
    return databaseSentences[code]
  const { cause } = error
  if (code !== undefined) return unforeseen(error, code)
  // Our own messages, with the reason from the system if there is one.
  if (cause === undefined) return error.message
  const reason = (cause as NodeJS.ErrnoException).code
  return reason === undefined ? unforeseen(error) : `${error.message} (${reason})`
}

const unforeseen = (error: Error, code?: string): string => {
  const places = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line))
  const cause = error.cause instanceof Error ? `\ncaused by ${error.cause.message}` : ''
  const summary = `The program could not start: ${error.message}${code === undefined ? '' : ` (${code})`}${cause}`
  return [summary, ...places.slice(0, 10)].join('\n')
}

const listenProblem = (code: string | undefined, message: string, { HOST, PORT }: Known): string => {
  if (code === 'EADDRINUSE')
    return `Port ${PORT} of ${HOST} is taken by another program. Stop it, or set PORT to another port (0 picks a free one).`
  if (code === 'EACCES') return `Port ${PORT} may not be opened by this user. Set PORT to one above 1023.`
  if (code === 'EADDRNOTAVAIL') return `HOST ${HOST} is not an address of this machine.`
  return message
}
