// From whoever started something down to the step itself, with what each link may do.
import type { AuthorityLink } from '@millrace/contract/authority'
import { Id } from '../ui/copy.tsx'
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

export const AuthorityChain = ({ chain }: { chain: readonly AuthorityLink[] }) => (
  <ol>
    {chain.map((link) => (
      <LinkRow key={`${link.kind} ${link.id}`} link={link} />
    ))}
  </ol>
)
