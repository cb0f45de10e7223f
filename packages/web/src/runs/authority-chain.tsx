// From whoever started something down to the step itself, with what each link may do.
import type { AuthorityLink } from '@millrace/contract/authority'
import { isId } from '@millrace/contract/ids'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { read } from '../api/queries.ts'
import { usePeople } from '../shell/people.ts'
import { Id } from '../ui/copy.tsx'
import { Badge } from '../ui/status.tsx'
import { Ago } from '../ui/time.tsx'
import { FlowRunLink } from './flow-run-link.tsx'

const kinds: Record<AuthorityLink['kind'], string> = {
  starter: 'Started by',
  trigger: 'Through the trigger',
  flow_run: 'In the flow run',
  run: 'Run of',
  tool: 'Tool',
  task: 'Task',
}

const starters: Readonly<Record<string, string>> = {
  person: 'a person',
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

/** Who it was, and by what: a person by name, where they are of this workspace. */
const nameOf = ({ kind, label }: AuthorityLink, person: string | undefined): string => {
  if (kind !== 'starter') return label
  const by = starters[label] ?? label
  if (person === undefined) return by
  return label === 'key' ? `${person}, by ${by}` : person
}

/** What is there no more, or is not for this reader, has its id to go by. */
const AgentLink = ({ id }: { id: string }) => {
  const { data: agent } = useQuery({ ...read('agents.get', { path: { id } }), retry: false })
  if (!agent) return id.slice(0, 8)
  return (
    <Link to="/agents/$id" params={{ id }} className="text-accent hover:underline">
      {agent.title || agent.name}
    </Link>
  )
}

/** Of these the chain knows no more than the id of what ran. */
const Named = ({ link, person }: { link: AuthorityLink; person: string | undefined }) => {
  if (link.kind === 'flow_run' && link.id !== '') return <FlowRunLink id={link.id} />
  if (link.kind === 'run' && isId(link.label)) return <AgentLink id={link.label} />
  return nameOf(link, person)
}

const LinkRow = ({ link, person }: { link: AuthorityLink; person: string | undefined }) => (
  <li className="relative border-l-2 py-1 pl-4 before:absolute before:top-3 before:-left-[5px] before:size-2 before:rounded-full before:bg-accent">
    <p className="flex flex-wrap items-center gap-x-2">
      <span className="text-faint">{kinds[link.kind]}</span>
      <span className="font-medium">
        <Named link={link} person={person} />
      </span>
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

export const AuthorityChain = ({ chain }: { chain: readonly AuthorityLink[] }) => {
  const { people } = usePeople()
  const names = new Map(people.map(({ id, name }) => [id, name]))
  return (
    <ol>
      {chain.map((link) => (
        <LinkRow key={`${link.kind} ${link.id}`} link={link} person={names.get(link.user_id ?? link.id)} />
      ))}
    </ol>
  )
}
