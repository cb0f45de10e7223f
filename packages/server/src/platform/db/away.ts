// Recognises a database that is away for a moment: every connection taken for too long, one that broke, a server that is
// restarting or has become read-only.

const codes = /^(57P0[1-5]|08\w{3}|53300|25006|ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)$/

/** Of a server that restarts, its local socket is missing and its name may be nobody's for a moment. */
const whileConnecting = /^(ENOENT|ENOTFOUND|EAI_AGAIN)$/

/** The driver gives these no code. */
const words = /timeout exceeded when trying to connect|Connection terminated|not queryable/

/** Trying again helps. */
export const isDatabaseAway = (error: unknown): boolean => {
  const { code = '', message = '', syscall = '' } = error as { code?: string; message?: string; syscall?: string }
  const isConnecting = syscall === 'connect' || syscall === 'getaddrinfo'
  return codes.test(code) || words.test(message) || (isConnecting && whileConnecting.test(code))
}

/** Ended for the sake of others, out of room or connections, waited too long: nothing was wrong with what was asked. */
const inTheWay = /^(40\w{3}|53\w{3}|55P03|57014)$/

/** The same statement may work in a moment, whatever it carries. */
export const isPassing = (error: unknown): boolean =>
  isDatabaseAway(error) || inTheWay.test((error as { code?: string }).code ?? '')
