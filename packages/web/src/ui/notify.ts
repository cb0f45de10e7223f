// Notices at the edge of the screen.
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
