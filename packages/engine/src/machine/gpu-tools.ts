// Runs the vendors' command line tools. A missing tool, a failure and a timeout all mean that nothing is known.

import { execFile } from 'node:child_process'

const timeoutMs = 10_000
const maxOutputBytes = 4 * 1024 ** 2

export type ToolEnv = Record<string, string>

export const runTool = (program: string, args: readonly string[], env: ToolEnv): Promise<string | undefined> =>
  new Promise((resolve) => {
    execFile(program, args, { timeout: timeoutMs, maxBuffer: maxOutputBytes, env }, (error, stdout) =>
      resolve(error ? undefined : stdout),
    )
  })

/** The tools print `[N/A]`, `N/A` or `[Not Supported]` for values that a card does not have. */
export const numberOf = (field: string | undefined): number | undefined => {
  const value = Number.parseFloat(field ?? '')
  return Number.isFinite(value) ? value : undefined
}
