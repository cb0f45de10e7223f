// One tool server: its connection, its tools, and a form to try a tool.
import type { ReplyOf } from '@millrace/contract/call'
import type { RequirementError } from '@millrace/contract/credentials'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { Problem } from '../api/problem.ts'
import { read } from '../api/queries.ts'
import { ConnectButton } from '../secrets/connect-button.tsx'
import { useSession } from '../shell/session.tsx'
import { useRemoval } from '../ui/act.ts'
import { classes } from '../ui/classes.ts'
import { ConfirmButton } from '../ui/dialog.tsx'
import { Page, Panel, ProblemNote, SkeletonRows } from '../ui/page.tsx'
import { EditServer } from './edit-server.tsx'
import { ToolCall } from './tool-call.tsx'

type Server = ReplyOf<'mcps.get'>

/** The service to connect first, when a missing connection prevents listing the tools. */
const providerIn = (error: unknown): string | undefined => {
  if (!(error instanceof Problem) || error.code !== 'requirements_not_met') return undefined
  const [first] = (error.body.errors ?? []) as readonly Partial<RequirementError>[]
  return first?.action?.provider ?? first?.key
}

const Connect = ({ server, provider }: { server: Server; provider: string }) => {
  const title = server.title || server.name
  return (
    <Panel title="Connect first">
      <div className="flex flex-col items-start gap-3">
        <p className="text-soft">{title} shows its tools after you sign in.</p>
        <ConnectButton provider={provider} name={title} touches={['mcps']} />
      </div>
    </Panel>
  )
}

const Tools = ({ server }: { server: Server }) => {
  const tools = useQuery(read('mcps.tools', { path: { slug: server.slug } }))
  const [chosen, setChosen] = useState<string | null>(null)
  const provider = providerIn(tools.error)
  if (provider !== undefined) return <Connect server={server} provider={provider} />
  if (tools.error) return <ProblemNote error={tools.error} retry={() => void tools.refetch()} />
  if (!tools.data) return <SkeletonRows />
  const tool = tools.data.find(({ name }) => name === chosen) ?? tools.data[0]
  return (
    <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_minmax(0,2fr)]">
      <Panel title={`${tools.data.length} tool${tools.data.length === 1 ? '' : 's'}`} flush>
        <ul className="p-1">
          {tools.data.map(({ name, title, description }) => (
            <li key={name}>
              <button
                type="button"
                aria-pressed={name === tool?.name}
                className={classes(
                  'w-full rounded-md px-2 py-1.5 text-left hover:bg-hover',
                  name === tool?.name && 'bg-hover',
                )}
                onClick={() => setChosen(name)}
              >
                <span className="block font-medium">{title || name}</span>
                <span className="line-clamp-2 text-[12px] text-faint">{description}</span>
              </button>
            </li>
          ))}
        </ul>
      </Panel>
      {tool ? <ToolCall key={tool.name} slug={server.slug} tool={tool} /> : null}
    </div>
  )
}

const Remove = ({ server }: { server: Server }) => {
  const navigate = useNavigate()
  const remove = useRemoval({
    work: () => call('mcp_servers.delete', { path: { id: server.id } }),
    resource: 'mcp_servers',
    done: 'Removed',
    leave: () => navigate({ to: '/tool-servers' }),
  })
  return (
    <ConfirmButton label="Remove" title={`Remove ${server.title || server.name}?`} confirm="Remove" act={remove}>
      All connections to this server end. Agents can no longer call its tools.
    </ConfirmButton>
  )
}

const ToolServerPage = () => {
  const { slug } = useParams({ from: '/tool-servers/$slug' })
  const { team, isAdmin } = useSession()
  const { data: server, error } = useQuery(read('mcps.get', { path: { slug } }))
  const trail = (
    <Link to="/tool-servers" className="hover:underline">
      Tool servers
    </Link>
  )
  if (!server)
    return (
      <Page title="Tool server" trail={trail}>
        {error ? <ProblemNote error={error} /> : <SkeletonRows />}
      </Page>
    )
  return (
    <Page
      title={server.title || server.name}
      trail={trail}
      note={
        <span className="flex flex-wrap gap-x-3">
          {server.description ? <span className="max-w-2xl">{server.description}</span> : null}
          <code className="font-mono text-[12px] text-faint">{server.server_url}</code>
        </span>
      }
      actions={
        <>
          {server.documentation_url ? (
            <a href={server.documentation_url} target="_blank" rel="noreferrer" className="text-accent hover:underline">
              Documentation
            </a>
          ) : null}
          {server.team_id === team.id && isAdmin ? (
            <>
              <EditServer server={server} />
              <Remove server={server} />
            </>
          ) : null}
        </>
      }
    >
      <Tools server={server} />
    </Page>
  )
}

export default ToolServerPage
