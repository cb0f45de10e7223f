// The exit codes. Scripts rely on these numbers; `millrace --help` prints this table.

export const exitCodes = {
  ok: 0,
  failed: 1,
  usage: 2,
  refused: 3,
  taskFailed: 4,
  taskCancelled: 5,
  unavailable: 6,
  interrupted: 130,
} as const

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

const meanings: readonly (readonly [ExitCode, string])[] = [
  [exitCodes.ok, 'done'],
  [exitCodes.failed, 'failed, or not found'],
  [exitCodes.usage, 'wrong arguments'],
  [exitCodes.refused, 'not signed in, or not allowed'],
  [exitCodes.taskFailed, 'the task failed'],
  [exitCodes.taskCancelled, 'the task was canceled'],
  [exitCodes.unavailable, 'the server is unreachable or busy; try again'],
  [exitCodes.interrupted, 'interrupted'],
]

export const exitCodeHelp = (): string =>
  ['Exit codes:', ...meanings.map(([code, meaning]) => `  ${String(code).padEnd(4)} ${meaning}`)].join('\n')
