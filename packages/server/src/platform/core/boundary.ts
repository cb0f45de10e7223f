// An error boundary around a callback that an emitter or a timer calls: an error ends what the callback serves, not the process.
export const guarded =
  <A extends readonly unknown[]>(onError: (error: unknown) => void, work: (...args: A) => unknown) =>
  (...args: A): void => {
    try {
      const result = work(...args)
      if (result instanceof Promise) result.catch(onError)
    } catch (error) {
      onError(error)
    }
  }
