// A clock that only a test advances.

export type TestClock = { now: () => Date; advance(ms: number): void }

export const createTestClock = (start = new Date()): TestClock => {
  let nowMs = start.getTime()
  return {
    now: () => new Date(nowMs),
    advance: (ms) => {
      nowMs += ms
    },
  }
}
