// Why a run could do what it did: from whoever started it down to each tool call, with what each may do and what let it
// happen.
import type { AuthorityLink } from '@millrace/contract/authority'
import { isRecord } from '@millrace/contract/json'
import { useQuery } from '@tanstack/react-query'
import { read } from '../api/queries.ts'
import { Id } from '../ui/copy.tsx'
import { ProblemNote, SkeletonRows } from '../ui/page.tsx'
import { Badge } from '../ui/status.tsx'
import { Ago } from '../ui/time.tsx'

const kinds: Record<AuthorityLink['kind'], string> = {
  starter: 'Started by',
  trigger: 'Through the trigger',
  flow_run: 'In the flow run',
  run: 'Run of',
  tool: 'Tool',
  task: 'Task',
}

const starters: Readonly<Record<string, string>> = {
  session: 'a person, signed in',
  key: 'an API key',
  user: 'a person',
}

const allowedText = (given: unknown): string => {
  if (!isRecord(given)) return 'nobody was asked'
  if (given.kind === 'person') return 'a person allowed it'
  return `allowed by ${Object.values(given)
    .filter((value) => typeof value === 'string')
    .join(' ')}`
}

const ScopeList = ({ scopes }: { scopes: readonly string[] }) => (
  <details className="text-[12px]">
    <summary className="cursor-pointer text-soft">
      {scopes.length} scope{scopes.length === 1 ? '' : 's'}
    </summary>
    <p className="mt-1 flex flex-wrap gap-1">
      {scopes.map((scope) => (
        <Badge key={scope}>{scope}</Badge>
      ))}
    </p>
  </details>
)

const LinkRow = ({ link }: { link: AuthorityLink }) => (
  <li className="relative border-l-2 py-1 pl-4 before:absolute before:top-3 before:-left-[5px] before:size-2 before:rounded-full before:bg-accent">
    <p className="flex flex-wrap items-center gap-x-2">
      <span className="text-faint">{kinds[link.kind]}</span>
      <span className="font-medium">{(link.kind === 'starter' && starters[link.label]) || link.label}</span>
      {link.id ? <Id id={link.id} /> : null}
      {link.at ? (
        <span className="text-faint">
          <Ago time={link.at} />
        </span>
      ) : null}
    </p>
    <ScopeList scopes={link.scopes} />
  </li>
)

export const AuthorityView = ({ runId }: { runId: string }) => {
  const { data, error } = useQuery(read('agent_runs.authority', { path: { id: runId } }))
  if (error) return <ProblemNote error={error} />
  if (!data) return <SkeletonRows />
  return (
    <div className="flex flex-col gap-4">
      <ol>
        {data.chain.map((link) => (
          <LinkRow key={`${link.kind} ${link.id}`} link={link} />
        ))}
      </ol>
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
