// A stub of vitest for reading the tables of test files: nothing runs, everything can be called.

const anything: unknown = new Proxy(() => {}, {
  get: (_target, name) => (name === 'then' || name === Symbol.toPrimitive ? undefined : anything),
  apply: () => anything,
  construct: () => anything as object,
})

// Tables may be inside a `describe`, whose body only collects tests.
const collect = (_name: unknown, ...rest: unknown[]): void => {
  for (const part of rest) if (typeof part === 'function') part()
}

export const describe = new Proxy(collect, { get: () => anything })
export const suite = describe
export const afterAll = anything
export const afterEach = anything
export const assert = anything
export const beforeAll = anything
export const beforeEach = anything
export const expect = anything
export const expectTypeOf = anything
export const inject = anything
export const it = anything
export const onTestFinished = anything
export const test = anything
export const vi = anything
