/** Waits until something holds, and gives what was found; a test's own time limit ends the wait. */
export const until = async <T>(look: () => Promise<T> | T): Promise<Exclude<NonNullable<T>, false>> => {
  for (;;) {
    const found = await look()
    if (found) return found as Exclude<NonNullable<T>, false>
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
