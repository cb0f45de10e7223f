// Recognizes errors of a database that is temporarily unavailable: too many connections, a broken connection, a restart
// or read-only mode.

const codes = /^(57P0[1-5]|08\w{3}|53300|25006|ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)$/

/** During a restart, the local socket is missing or the host name may not resolve. */
const whileConnecting = /^(ENOENT|ENOTFOUND|EAI_AGAIN)$/

/** Errors of the driver that have no code. */
const words = /timeout exceeded when trying to connect|Connection terminated|not queryable/

/** A retry can succeed. */
export const isDatabaseUnavailable = (error: unknown): boolean => {
  const { code = '', message = '', syscall = '' } = error as { code?: string; message?: string; syscall?: string }
  const isConnecting = syscall === 'connect' || syscall === 'getaddrinfo'
  return codes.test(code) || words.test(message) || (isConnecting && whileConnecting.test(code))
}

/** Deadlock, resources exhausted, lock or statement timeout: the statement itself was correct. */
const inTheWay = /^(40\w{3}|53\w{3}|55P03|57014)$/

/** The same statement can succeed later, whatever its values are. */
export const isPassing = (error: unknown): boolean =>
  isDatabaseUnavailable(error) || inTheWay.test((error as { code?: string }).code ?? '')
