// Why a run could do what it did: from whoever started it down to each tool call, with what each may do and what let it
// happen.
import { isRecord } from '@millrace/contract/json'
import { useQuery } from '@tanstack/react-query'
import { read } from '../api/queries.ts'
import { AuthorityChain } from '../runs/authority-chain.tsx'
import { ProblemNote, SkeletonRows } from '../ui/page.tsx'

const allowedText = (given: unknown): string => {
  if (!isRecord(given)) return 'nobody was asked'
  if (given.kind === 'person') return 'a person allowed it'
  return `allowed by ${Object.values(given)
    .filter((value) => typeof value === 'string')
    .join(' ')}`
}

export const AuthorityView = ({ runId }: { runId: string }) => {
  const { data, error } = useQuery(read('agent_runs.authority', { path: { id: runId } }))
  if (error) return <ProblemNote error={error} />
  if (!data) return <SkeletonRows />
  return (
    <div className="flex flex-col gap-4">
      <AuthorityChain chain={data.chain} />
      <div>
        <h3 className="mb-1 font-medium">Tool calls</h3>
        {data.tools.length === 0 ? <p className="text-faint">It used none.</p> : null}
        <ul className="flex flex-col gap-1">
          {data.tools.map((link) => (
            <li key={link.id} className="flex flex-wrap items-center gap-x-3 rounded border px-3 py-1.5">
              <code className="font-medium font-mono text-[12px]">{link.label}</code>
              <span className="text-soft">{allowedText(link.allowed_by)}</span>
              {link.credential === undefined ? null : (
                <span className="text-faint">with {JSON.stringify(link.credential)}</span>
              )}
            </li>
          ))}
        </ul>
      </div>
    </div>
  )
}
