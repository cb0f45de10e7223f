// @ts-check
// Tells a second request to stop from the repetition of the first. npm and similar launchers forward a signal that the
// terminal has already sent to the whole process group, so one Ctrl-C reaches a program twice within milliseconds.

/** Shorter than the time in which a person decides to press Ctrl-C again. */
export const repetitionMs = 1_000

/**
 * The returned function says whether a signal is a new request. Pure but for the clock.
 * @param {() => number} [now] milliseconds of a clock that never goes back
 * @returns {(signal: NodeJS.Signals) => boolean}
 */
export const createStopRequests = (now = () => performance.now()) => {
  /** @type {Map<NodeJS.Signals, number>} */
  const requestedAt = new Map()
  return (signal) => {
    const previous = requestedAt.get(signal)
    if (previous !== undefined && now() - previous < repetitionMs) return false
    requestedAt.set(signal, now())
    return true
  }
}
