/** Polls until the condition holds and returns its value; bounded by the test's own time limit. */
export const until = async <T>(check: () => Promise<T> | T): Promise<Exclude<NonNullable<T>, false>> => {
  for (;;) {
    const found = await check()
    if (found) return found as Exclude<NonNullable<T>, false>
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
