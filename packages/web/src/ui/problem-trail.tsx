// Below an error: a link to the explanation, and the request id for support.
import type { Problem } from '../api/problem.ts'
import { CopyButton } from './copy.tsx'

export const ProblemTrail = ({ problem }: { problem: Problem }) => (
  <>
    {problem.page ? (
      <a className="underline" href={problem.page} target="_blank" rel="noreferrer">
        What “{problem.code}” means
      </a>
    ) : null}
    {problem.requestId ? (
      <span className="inline-flex items-center">
        Request {problem.requestId}
        <CopyButton text={problem.requestId} label="Copy request ID" />
      </span>
    ) : null}
  </>
)

/** The same below a notice, which is narrow. */
export const ProblemWords = ({ words, problem }: { words: string; problem: Problem }) => (
  <>
    <span className="block">{words}</span>
    <span className="mt-1 flex flex-wrap items-center gap-x-3 text-[12px]">
      <ProblemTrail problem={problem} />
    </span>
  </>
)
