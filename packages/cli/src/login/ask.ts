// Questions to a person, or to whatever is connected to stdin.
import { createInterface } from 'node:readline'
import { isCancel, password, text as textPrompt } from '@clack/prompts'
import { exitCodes } from '../exit-codes.ts'
import { CliFailure } from '../failures.ts'
import type { Shell } from '../shell.ts'

const answered = (value: string | symbol | undefined): string => {
  if (isCancel(value)) throw new CliFailure('Cancelled', { exitCode: exitCodes.interrupted, code: 'interrupted' })
  return typeof value === 'string' ? value.trim() : ''
}

export const askSecret = async (message: string): Promise<string> =>
  answered(await password({ message, output: process.stderr }))

export const askText = async (message: string, fallback?: string): Promise<string> =>
  answered(
    await textPrompt({
      message,
      output: process.stderr,
      ...(fallback === undefined ? {} : { defaultValue: fallback, placeholder: fallback }),
    }),
  )

/** The first line, or null when nothing comes: at once at the end of input, else after the limit. */
export const readLine = (shell: Shell, limitMs: number): Promise<string | null> =>
  new Promise((resolve) => {
    const lines = createInterface({ input: shell.stdin })
    const timer = setTimeout(() => lines.close(), limitMs)
    let line: string | null = null
    lines.once('line', (first) => {
      line = first.trim()
      lines.close()
    })
    lines.once('close', () => {
      clearTimeout(timer)
      resolve(line)
    })
  })
