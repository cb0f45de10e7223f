// The permissions of an agent turn: from its initiator to each tool call, with scopes and approvals.
import { isRecord } from '@millrace/contract/json'
import { useQuery } from '@tanstack/react-query'
import { read } from '../api/queries.ts'
import { AuthorityChain } from '../runs/authority-chain.tsx'
import { ProblemNote, SkeletonRows } from '../ui/page.tsx'
import { strings } from './strings.ts'

const words = strings.authority

const approvalText = (approval: unknown): string => {
  if (!isRecord(approval)) return words.notAsked
  if (approval.kind === 'person') return words.byPerson
  return words.byRule(
    Object.values(approval)
      .filter((value) => typeof value === 'string')
      .join(' '),
  )
}

export const Permissions = ({ runId }: { runId: string }) => {
  const { data, error } = useQuery(read('agent_runs.authority', { path: { id: runId } }))
  if (error) return <ProblemNote error={error} />
  if (!data) return <SkeletonRows />
  return (
    <div className="flex flex-col gap-4">
      <AuthorityChain chain={data.chain} />
      <div>
        <h3 className="mb-1 font-medium">{words.toolCalls}</h3>
        {data.tools.length === 0 ? <p className="text-faint">{words.noToolCalls}</p> : null}
        <ul className="flex flex-col gap-1">
          {data.tools.map((link) => (
            <li key={link.id} className="flex flex-wrap items-center gap-x-3 rounded border px-3 py-1.5">
              <code className="font-medium font-mono text-[12px]">{link.label}</code>
              <span className="text-soft">{approvalText(link.allowed_by)}</span>
              {link.credential === undefined ? null : (
                <span className="text-faint">{words.credential(JSON.stringify(link.credential))}</span>
              )}
            </li>
          ))}
        </ul>
      </div>
    </div>
  )
}
