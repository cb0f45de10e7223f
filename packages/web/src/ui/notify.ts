// Notices at the edge of the screen.
import type { Notice } from '@millrace/contract/common'
import { toast } from 'sonner'
import { Problem } from '../api/problem.ts'

export const notify = (words: string): void => {
  toast.success(words)
}

export const notifyProblem = (error: unknown): void => {
  const problem = error instanceof Problem ? error : null
  const words = error instanceof Error ? error.message : String(error)
  const page = problem?.page
  toast.error(problem?.title ?? 'This did not work', {
    description: problem?.requestId ? `${words} (request ${problem.requestId})` : words,
    ...(page === undefined ? {} : { action: { label: 'Explain', onClick: () => window.open(page, '_blank') } }),
  })
}

/** Whoever waits for a run is told; the rest of what the server says is for programs. */
const shown = new Set(['no_engine', 'budget_exceeded'])

/** However often it is said, it stands there once. */
export const showNotices = (notices: readonly Notice[]): void => {
  for (const { code, message } of notices)
    if (shown.has(code)) toast.warning(message, { id: `${code} ${message}`, duration: 15_000 })
}
