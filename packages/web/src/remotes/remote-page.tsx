// One remote: what it is, what it hosts, and a line to run commands on it.
import type { ExecRun, Remote } from '@millrace/contract/remotes'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { call } from '../api/call.ts'
import { useList } from '../api/list.ts'
import { read } from '../api/queries.ts'
import { useAct } from '../ui/act.ts'
import { Button } from '../ui/button.tsx'
import { ConfirmButton } from '../ui/dialog.tsx'
import { TextField } from '../ui/field.tsx'
import { Page, Panel, ProblemNote, SkeletonRows } from '../ui/page.tsx'
import { Badge, Status, type Tone, toneOfEngine } from '../ui/status.tsx'
import { Ago } from '../ui/time.tsx'
import { durationText } from '../ui/time-text.ts'
import { useExec } from './use-exec.ts'

const tones: Record<ExecRun['status'], Tone> = {
  pending: 'waiting',
  running: 'live',
  exited: 'ok',
  killed: 'off',
  denied: 'bad',
}

const toneOf = ({ status, exit_code }: ExecRun): Tone =>
  status === 'exited' && exit_code !== 0 ? 'bad' : tones[status]

const wordsOf = ({ status, exit_code, error }: ExecRun): string =>
  status === 'exited' ? `exited with ${exit_code}` : error || status

const Output = ({ id }: { id: string }) => {
  const { text, run, error } = useExec(id)
  const end = useRef<HTMLDivElement>(null)
  const kill = useAct({ work: () => call('execs.signal', { path: { id } }) })
  // biome-ignore lint/correctness/useExhaustiveDependencies: new text moves the end
  useEffect(() => {
    end.current?.scrollIntoView({ block: 'nearest' })
  }, [text])
  return (
    <div className="flex flex-col gap-2">
      {run ? (
        <div className="flex flex-wrap items-center gap-3">
          <code className="min-w-0 grow truncate font-mono text-[12px]">{[run.command, ...run.args].join(' ')}</code>
          <Status tone={toneOf(run)}>{wordsOf(run)}</Status>
          {run.duration_ms === null ? (
            <Button look="danger" busy={kill.isPending} onClick={() => kill.mutate()}>
              Kill
            </Button>
          ) : (
            <span className="figures text-faint">{durationText(run.duration_ms)}</span>
          )}
        </div>
      ) : null}
      {error ? <ProblemNote error={error} /> : null}
      <section
        aria-label="Output"
        tabIndex={0}
        className="max-h-[55vh] min-h-40 overflow-auto rounded-md border bg-canvas p-3"
      >
        <pre aria-live="polite" className="whitespace-pre-wrap break-words font-mono text-[12px] leading-5">
          {text}
        </pre>
        <div ref={end} />
      </section>
    </div>
  )
}

const CommandLine = ({ remote, onStarted }: { remote: Remote; onStarted: (id: string) => void }) => {
  const [line, setLine] = useState('')
  const start = useAct({
    work: () =>
      call('execs.start', { path: { id: remote.id }, body: { command: 'sh', args: ['-c', line], timeout_ms: 0 } }),
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
          label="Command"
          fieldClass="grow"
          className="font-mono text-[12px]"
          placeholder="uname -a"
          autoComplete="off"
          spellCheck={false}
          disabled={!remote.exec_enabled || remote.status !== 'running'}
          help={remote.exec_enabled ? undefined : 'This machine was started without running commands'}
          value={line}
          onChange={(event) => setLine(event.target.value)}
        />
        <Button type="submit" look="primary" busy={start.isPending} disabled={line.trim() === ''}>
          Run
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
    <Panel title="Earlier commands" flush>
      <ul className="p-1">
        {list.items.length === 0 ? <li className="p-2 text-faint">None yet</li> : null}
        {list.items.map((run) => (
          <li key={run.id}>
            <button
              type="button"
              className="flex w-full items-center gap-2 rounded px-2 py-1.5 text-left hover:bg-hover"
              onClick={() => open(run.id)}
            >
              <Status tone={toneOf(run)}>{wordsOf(run)}</Status>
              <code className="min-w-0 grow truncate font-mono text-[12px]">
                {[run.command, ...run.args].join(' ')}
              </code>
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

const RemotePage = () => {
  const { id } = useParams({ from: '/remotes/$id' })
  const navigate = useNavigate()
  const { data: remote, error } = useQuery(read('remotes.get', { path: { id } }))
  const [shown, setShown] = useState<string | null>(null)
  const remove = useAct({
    work: () => call('remotes.delete', { path: { id } }),
    touches: ['remotes'],
    done: 'Removed',
    after: () => navigate({ to: '/remotes' }),
  })
  const trail = (
    <Link to="/remotes" className="hover:underline">
      Remotes
    </Link>
  )
  if (!remote)
    return (
      <Page title="Remote" trail={trail}>
        {error ? <ProblemNote error={error} /> : <SkeletonRows />}
      </Page>
    )
  return (
    <Page
      title={remote.name}
      trail={trail}
      note={
        <span className="flex flex-wrap items-center gap-3">
          <Status tone={toneOfEngine(remote.status)}>{remote.status}</Status>
          <span>{remote.system_info?.os}</span>
          <Ago time={remote.heartbeat_at} />
        </span>
      }
      actions={
        <ConfirmButton
          label="Remove"
          title={`Remove ${remote.name}?`}
          confirm="Remove"
          act={() => remove.mutateAsync()}
        >
          Nothing on the machine itself changes; it can register again.
        </ConfirmButton>
      }
    >
      <div className="flex flex-col gap-4">
        <Panel title="Run a command">
          <div className="flex flex-col gap-3">
            <CommandLine remote={remote} onStarted={setShown} />
            {shown === null ? null : <Output key={shown} id={shown} />}
          </div>
        </Panel>
        {remote.profiles.length === 0 ? null : (
          <Panel title="Coding agents">
            <ul className="flex flex-col gap-1">
              {remote.profiles.map((profile) => (
                <li key={profile.id} className="flex items-center gap-2">
                  <span className="font-medium">{profile.display_name || profile.name}</span>
                  <span className="grow text-soft">{profile.version}</span>
                  <Badge>{profile.status}</Badge>
                </li>
              ))}
            </ul>
          </Panel>
        )}
        <Earlier remoteId={remote.id} open={setShown} />
      </div>
    </Page>
  )
}

export default RemotePage
