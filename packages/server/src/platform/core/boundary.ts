// An error boundary around a callback of an emitter or a timer: `onError` handles the error instead of the process.
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
