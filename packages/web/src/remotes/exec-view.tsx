// One live command on a remote: in a terminal if it has one, otherwise as text.
import type { ExecRun } from '@millrace/contract/remotes'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import { call } from '../api/call.ts'
import { read } from '../api/queries.ts'
import { refresh } from '../api/refresh.ts'
import { useAct } from '../ui/act.ts'
import { Button } from '../ui/button.tsx'
import { ProblemNote, Skeleton } from '../ui/page.tsx'
import { durationText } from '../ui/time-text.ts'
import { ExecStatus, lineOf } from './exec-status.tsx'
import { strings } from './strings.ts'
import { useExec } from './use-exec.ts'

const words = strings.command

const Terminal = lazy(() => import('./terminal.tsx'))

const Head = ({ run }: { run: ExecRun }) => {
  const client = useQueryClient()
  // Keeps the list of commands in step with this command.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the list is refetched when the status changes
  useEffect(() => {
    void refresh(client, { queryKey: ['execs', 'execs.list'] })
  }, [client, run.status])
  const kill = useAct({ work: () => call('execs.signal', { path: { id: run.id } }) })
  return (
    <div className="flex flex-wrap items-center gap-3">
      <code className="min-w-0 grow truncate font-mono text-[12px]">{lineOf(run)}</code>
      <ExecStatus run={run} />
      {run.duration_ms === null ? (
        <Button look="danger" busy={kill.isPending} onClick={() => kill.mutate()}>
          {words.kill}
        </Button>
      ) : (
        <span className="figures text-faint">{durationText(run.duration_ms)}</span>
      )}
    </div>
  )
}

const InTerminal = ({ first }: { first: ExecRun }) => {
  const [run, setRun] = useState(first)
  const [error, setError] = useState<unknown>(null)
  const head = useRef<HTMLDivElement>(null)
  return (
    <div className="flex flex-col gap-2">
      <div ref={head} tabIndex={-1} className="outline-none">
        <Head run={run} />
      </div>
      {error ? <ProblemNote error={error} /> : null}
      <section aria-label={words.terminal} className="rounded-md border bg-canvas p-2">
        <Suspense fallback={<Skeleton className="h-[55vh] min-h-60" />}>
          <Terminal id={first.id} onRun={setRun} onError={setError} onLeave={() => head.current?.focus()} />
        </Suspense>
      </section>
      <p className="text-[12px] text-faint">{run.duration_ms === null ? words.liveHelp : words.endedHelp}</p>
    </div>
  )
}

const AsText = ({ id }: { id: string }) => {
  const { text, run, error } = useExec(id)
  const end = useRef<HTMLDivElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: new output changes the scroll height
  useEffect(() => {
    end.current?.scrollIntoView({ block: 'nearest' })
  }, [text])
  return (
    <div className="flex flex-col gap-2">
      {run ? <Head run={run} /> : null}
      {error ? <ProblemNote error={error} /> : null}
      <section
        aria-label={words.output}
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

export const ExecView = ({ id }: { id: string }) => {
  const { data: run, error } = useQuery(read('execs.get', { path: { id } }))
  if (error) return <ProblemNote error={error} />
  if (!run) return <Skeleton className="h-40" />
  return run.pty ? <InTerminal first={run} /> : <AsText id={id} />
}
