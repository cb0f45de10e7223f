// Prompts, and lines from stdin. The prompt library is loaded on demand.
import { createInterface } from 'node:readline'
import { exitCodes } from '../exit-codes.ts'
import { CliFailure } from '../failures.ts'
import type { Shell } from '../shell.ts'

/** A canceled prompt returns a symbol. */
const answered = (value: string | symbol | undefined): string => {
  if (typeof value === 'symbol')
    throw new CliFailure('Canceled', { exitCode: exitCodes.interrupted, code: 'interrupted' })
  return value?.trim() ?? ''
}

export const askSecret = async (message: string): Promise<string> => {
  const { password } = await import('@clack/prompts')
  return answered(await password({ message, output: process.stderr }))
}

export const askText = async (message: string, fallback?: string): Promise<string> => {
  const { text } = await import('@clack/prompts')
  const suggestion = fallback === undefined ? {} : { defaultValue: fallback, placeholder: fallback }
  return answered(await text({ message, output: process.stderr, ...suggestion }))
}

/** The first line, or null at the end of input or after the limit. */
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
