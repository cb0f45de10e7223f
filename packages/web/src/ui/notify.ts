// Notices at the edge of the screen.
import type { Notice } from '@millrace/contract/common'
import { createElement } from 'react'
import { toast } from 'sonner'
import { Problem } from '../api/problem.ts'
import { ProblemWords } from './problem-trail.tsx'

export const notify = (words: string): void => {
  toast.success(words)
}

/** A refusal is read, and perhaps copied from; it stays longer than good news. */
const readMs = 12_000

export const notifyProblem = (error: unknown): void => {
  const words = error instanceof Error ? error.message : String(error)
  if (error instanceof Problem)
    toast.error(error.title, {
      description: createElement(ProblemWords, { words, problem: error }),
      duration: readMs,
    })
  else toast.error('This did not work', { description: words, duration: readMs })
}

/** Whoever waits for a run is told; the rest of what the server says is for programs. */
const shown = new Set(['no_engine', 'budget_exceeded'])

/** However often it is said, it stands there once. */
export const showNotices = (notices: readonly Notice[]): void => {
  for (const { code, message } of notices)
    if (shown.has(code)) toast.warning(message, { id: `${code} ${message}`, duration: 15_000 })
}
