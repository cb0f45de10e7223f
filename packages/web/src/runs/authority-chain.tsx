// The chain from the person who started a run to the run itself, with the scopes of each link.
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
import { strings } from './strings.ts'

const words = strings.authority

const kinds: Record<AuthorityLink['kind'], string> = {
  starter: words.kinds.starter,
  trigger: words.kinds.trigger,
  flow_run: words.kinds.flow_run,
  run: words.kinds.run,
  tool: words.kinds.tool,
  task: words.kinds.task,
}

const starters: Readonly<Record<string, string>> = {
  person: words.starters.person,
  session: words.starters.session,
  key: words.starters.key,
  user: words.starters.user,
}

const ScopeList = ({ scopes }: { scopes: readonly string[] }) => (
  <details className="text-[12px]">
    <summary className="cursor-pointer text-soft">{words.scopes(scopes.length)}</summary>
    <p className="mt-1 flex flex-wrap gap-1">
      {scopes.map((scope) => (
        <Badge key={scope}>{scope}</Badge>
      ))}
    </p>
  </details>
)

/** The starter: the name of the person if they are a member, and the means. */
const nameOf = ({ kind, label }: AuthorityLink, person: string | undefined): string => {
  if (kind !== 'starter') return label
  const by = starters[label] ?? label
  if (person === undefined) return by
  return label === 'key' ? words.byKey(person, by) : person
}

/** A deleted or invisible agent is shown by its id. */
const AgentLink = ({ id }: { id: string }) => {
  const { data: agent } = useQuery({ ...read('agents.get', { path: { id } }), retry: false })
  if (!agent) return id.slice(0, 8)
  return (
    <Link to="/agents/$id" params={{ id }} className="text-accent hover:underline">
      {agent.title || agent.name}
    </Link>
  )
}

/** For these links, the chain only contains an id. */
const Named = ({ link, person }: { link: AuthorityLink; person: string | undefined }) => {
  if (link.kind === 'flow_run' && link.id !== '') return <FlowRunLink id={link.id} />
  if (link.kind === 'run' && isId(link.label)) return <AgentLink id={link.label} />
  if (link.kind === 'trigger' && link.id !== '')
    return (
      <Link to="/triggers/$id" params={{ id: link.id }} className="text-accent hover:underline">
        {link.label}
      </Link>
    )
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
