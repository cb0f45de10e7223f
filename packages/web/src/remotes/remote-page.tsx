// One remote: its system, its coding agents, a terminal, and a field for single commands.
import type { Remote } from '@millrace/contract/remotes'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { SquareTerminal } from 'lucide-react'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { useList } from '../api/list.ts'
import { read } from '../api/queries.ts'
import { useSession } from '../shell/session.tsx'
import { useAct, useRemoval } from '../ui/act.ts'
import { Button } from '../ui/button.tsx'
import { ConfirmButton } from '../ui/dialog.tsx'
import { TextField } from '../ui/field.tsx'
import { Page, Panel, ProblemNote, SkeletonRows } from '../ui/page.tsx'
import { Badge, Status, toneOfEngine } from '../ui/status.tsx'
import { Ago } from '../ui/time.tsx'
import { CodingAgents } from './coding-agents.tsx'
import { commandOf } from './command-line.ts'
import { ExecStatus, lineOf, shellOfPerson } from './exec-status.tsx'
import { ExecView } from './exec-view.tsx'
import { RemoteRules } from './remote-rules.tsx'
import { strings } from './strings.ts'

const words = strings.remote

const canRun = ({ exec_enabled, status }: Remote): boolean => exec_enabled && status === 'running'

const OpenTerminal = ({ remote, onStarted }: { remote: Remote; onStarted: (id: string) => void }) => {
  const start = useAct({
    work: () =>
      call('execs.start', {
        path: { id: remote.id },
        body: { command: 'sh', args: shellOfPerson, pty: true, env: ['TERM=xterm-256color'], timeout_ms: 0 },
      }),
    touches: ['execs'],
    after: ({ id }) => onStarted(id),
  })
  return (
    <Button busy={start.isPending} disabled={!canRun(remote)} onClick={() => start.mutate()}>
      <SquareTerminal aria-hidden /> {words.openTerminal}
    </Button>
  )
}

const CommandLine = ({ remote, onStarted }: { remote: Remote; onStarted: (id: string) => void }) => {
  const [line, setLine] = useState('')
  const start = useAct({
    work: () => call('execs.start', { path: { id: remote.id }, body: { ...commandOf(line), timeout_ms: 0 } }),
    touches: ['execs'],
    after: ({ id }) => {
      setLine('')
      onStarted(id)
    },
    quiet: true,
  })
  return (
    <form
      className="flex flex-col gap-2"
      onSubmit={(event) => {
        event.preventDefault()
        start.mutate()
      }}
    >
      <div className="flex items-end gap-2">
        <TextField
          label={words.command}
          fieldClass="grow"
          className="font-mono text-[12px]"
          placeholder="uname -a"
          autoComplete="off"
          spellCheck={false}
          disabled={!canRun(remote)}
          help={remote.exec_enabled ? undefined : words.noExec}
          value={line}
          onChange={(event) => setLine(event.target.value)}
        />
        <Button type="submit" look="primary" busy={start.isPending} disabled={line.trim() === ''}>
          {words.run}
        </Button>
      </div>
      {start.error ? <ProblemNote error={start.error} /> : null}
    </form>
  )
}

const Earlier = ({ remoteId, open }: { remoteId: string; open: (id: string) => void }) => {
  const list = useList('execs.list', {
    limit: 20,
    sort: [{ field: 'created_at', dir: 'desc' }],
    filters: [{ field: 'remote_id', operator: 'eq', value: remoteId }],
  })
  if (list.error) return <ProblemNote error={list.error} />
  return (
    <Panel title={words.earlier} flush>
      <ul className="p-1">
        {list.items.length === 0 ? <li className="p-2 text-faint">{words.none}</li> : null}
        {list.items.map((run) => (
          <li key={run.id}>
            <button
              type="button"
              className="flex w-full items-center gap-2 rounded px-2 py-1.5 text-left hover:bg-hover"
              onClick={() => open(run.id)}
            >
              <ExecStatus run={run} />
              <code className="min-w-0 grow truncate font-mono text-[12px]">{lineOf(run)}</code>
              <Badge>{run.requested_by}</Badge>
              <span className="text-faint">
                <Ago time={run.created_at} />
              </span>
            </button>
          </li>
        ))}
      </ul>
    </Panel>
  )
}

const trail = (
  <Link to="/remotes" className="hover:underline">
    {strings.title}
  </Link>
)

const RemoveRemote = ({ remote }: { remote: Remote }) => {
  const navigate = useNavigate()
  const remove = useRemoval({
    work: () => call('remotes.delete', { path: { id: remote.id } }),
    resource: 'remotes',
    done: words.removed,
    leave: () => navigate({ to: '/remotes' }),
  })
  return (
    <ConfirmButton label={words.remove} title={words.removeTitle(remote.name)} confirm={words.remove} act={remove}>
      {words.removeText}
    </ConfirmButton>
  )
}

const RemoteDetails = ({ remote }: { remote: Remote }) => {
  const { me, isAdmin } = useSession()
  const [shown, setShown] = useState<string | null>(null)
  // Only the person who connected a machine can use it.
  const isOwn = remote.user_id === me.user.id
  return (
    <Page
      title={remote.name}
      trail={trail}
      note={
        <span className="flex flex-wrap items-center gap-3">
          <Status tone={toneOfEngine(remote.status)}>{remote.status}</Status>
          <span>{remote.system_info?.os}</span>
          {remote.remote_version ? <span className="text-faint">{words.version(remote.remote_version)}</span> : null}
          <Ago time={remote.heartbeat_at} />
        </span>
      }
      actions={isOwn || isAdmin ? <RemoveRemote remote={remote} /> : null}
    >
      <div className="flex flex-col gap-4">
        {isOwn ? (
          <Panel title={words.runTitle} actions={<OpenTerminal remote={remote} onStarted={setShown} />}>
            <div className="flex flex-col gap-3">
              <CommandLine remote={remote} onStarted={setShown} />
              {shown === null ? null : <ExecView key={shown} id={shown} />}
            </div>
          </Panel>
        ) : null}
        <CodingAgents remote={remote} isOwn={isOwn} />
        {isOwn ? <RemoteRules remote={remote} /> : null}
        {isOwn ? <Earlier remoteId={remote.id} open={setShown} /> : null}
      </div>
    </Page>
  )
}

const RemotePage = () => {
  const { id } = useParams({ from: '/remotes/$id' })
  const { data: remote, error } = useQuery(read('remotes.get', { path: { id } }))
  if (remote) return <RemoteDetails remote={remote} />
  return (
    <Page title={words.title} trail={trail}>
      {error ? <ProblemNote error={error} /> : <SkeletonRows />}
    </Page>
  )
}

export default RemotePage
