// The app, flow or agent that a trigger starts, by name and with a link to it.
import type { Trigger } from '@millrace/contract/triggers'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { read } from '../api/queries.ts'
import { strings } from './strings.ts'

const look = 'text-accent underline'

const AppLink = ({ id }: { id: string }) => {
  const { data, isError } = useQuery(read('apps.get', { path: { id } }))
  if (isError) return strings.target.missing
  return data ? (
    <Link to="/apps/$namespace/$name" params={{ namespace: data.namespace, name: data.name }} className={look}>
      {data.title || `${data.namespace}/${data.name}`}
    </Link>
  ) : null
}

const FlowLink = ({ id }: { id: string }) => {
  const { data, isError } = useQuery(read('flows.get', { path: { id } }))
  if (isError) return strings.target.missing
  return data ? (
    <Link to="/flows/$id" params={{ id }} className={look}>
      {data.title || data.name}
    </Link>
  ) : null
}

const AgentLink = ({ id }: { id: string }) => {
  const { data, isError } = useQuery(read('agents.get', { path: { id } }))
  if (isError) return strings.target.missing
  return data ? (
    <Link to="/agents/$id" params={{ id }} className={look}>
      {data.title || data.name}
    </Link>
  ) : null
}

export const TargetLink = ({ trigger: { action, app_id, flow_id, agent_id } }: { trigger: Trigger }) => (
  <span>
    {strings.target.starts[action]} {app_id ? <AppLink id={app_id} /> : null}
    {flow_id ? <FlowLink id={flow_id} /> : null}
    {agent_id ? <AgentLink id={agent_id} /> : null}
  </span>
)
