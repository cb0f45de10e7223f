// One run: its output, input, timeline, logs and permissions.
import { isTerminal } from '@millrace/contract/task-status'
import type { Task } from '@millrace/contract/tasks'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams, useRouter } from '@tanstack/react-router'
import { Pencil, RotateCcw } from 'lucide-react'
import type { ReactNode } from 'react'
import { call } from '../api/call.ts'
import { read } from '../api/queries.ts'
import { leaveDraft } from '../apps/draft.ts'
import { moneyText } from '../money/amounts.ts'
import { usePeople } from '../shell/people.ts'
import { useSession } from '../shell/session.tsx'
import { visibilityStrings } from '../shell/visibility.ts'
import { VisibilitySelect } from '../shell/visibility-select.tsx'
import { useAct } from '../ui/act.ts'
import { Button } from '../ui/button.tsx'
import { Id } from '../ui/copy.tsx'
import { JsonView } from '../ui/json-view.tsx'
import { Page, Panel, ProblemNote, SkeletonRows } from '../ui/page.tsx'
import { TaskStatus } from '../ui/status.tsx'
import { Ago, Took } from '../ui/time.tsx'
import { sizeText } from '../ui/time-text.ts'
import { AuthorityChain } from './authority-chain.tsx'
import { Deliveries } from './deliveries.tsx'
import { FlowRunLink } from './flow-run-link.tsx'
import { Logs } from './logs.tsx'
import { MachineLoad } from './machine-load.tsx'
import { appNameOf, appOf } from './names.ts'
import { retryOf } from './retry.ts'
import { AppLink, ChatLink, DeleteRun, EngineLink } from './run-facts.tsx'
import { RunTree } from './run-tree.tsx'
import { CancelRun, endOf, Result, useRun } from './run-view.tsx'
import { strings } from './strings.ts'
import { Timeline } from './timeline.tsx'

const words = strings.run

const Again = ({ task }: { task: Task }) => {
  const router = useRouter()
  const { namespace, name } = appOf(task)
  const again = useAct({
    work: () => call('tasks.run', { body: retryOf(task) }),
    touches: ['tasks'],
    after: ({ id }) => router.navigate({ to: '/runs/$id', params: { id } }),
  })
  const change = () => {
    if (!namespace || !name) return
    leaveDraft(task.app_id, { function: task.function, input: task.input })
    void router.navigate({ to: '/apps/$namespace/$name', params: { namespace, name } })
  }
  return (
    <>
      {namespace && name ? (
        <Button onClick={change}>
          <Pencil aria-hidden /> {words.edit}
        </Button>
      ) : null}
      <Button busy={again.isPending} title={words.rerunHelp} onClick={() => again.mutate()}>
        <RotateCcw aria-hidden /> {words.rerun}
      </Button>
    </>
  )
}

const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <>
    <dt className="text-faint">{name}</dt>
    <dd className="min-w-0 truncate">{children}</dd>
  </>
)

const Facts = ({ task }: { task: Task }) => {
  const { nameOf } = usePeople()
  const flowRunId = task.flow_run_id ?? task.sub_flow_run_id
  const cost = useQuery({ ...read('tasks.cost', { path: { id: task.id } }), enabled: isTerminal(task.status) })
  return (
    <Panel title={words.about}>
      <dl className="grid grid-cols-[92px_1fr] gap-y-1.5">
        <Fact name={words.id}>
          <Id id={task.id} />
        </Fact>
        <Fact name={words.app}>
          <AppLink task={task} />
        </Fact>
        <Fact name={words.function}>{task.function}</Fact>
        <Fact name={words.version}>
          <Id id={task.app_version_id} />
        </Fact>
        <Fact name={words.startedBy}>{nameOf(task.user_id)}</Fact>
        <Fact name={visibilityStrings.label}>
          <VisibilitySelect
            row={task}
            touches={['tasks']}
            save={(visibility) => call('tasks.visibility', { path: { id: task.id }, body: { visibility } })}
          />
        </Fact>
        <Fact name={words.engine}>{task.engine_id ? <EngineLink id={task.engine_id} /> : words.noEngine}</Fact>
        {task.worker_id ? (
          <Fact name={words.worker}>
            <Id id={task.worker_id} />
          </Fact>
        ) : null}
        {task.gpu_memory_peak ? <Fact name={words.gpuMemory}>{sizeText(task.gpu_memory_peak)}</Fact> : null}
        {flowRunId ? (
          <Fact name={words.flowRun}>
            <FlowRunLink id={flowRunId} />
          </Fact>
        ) : null}
        {task.chat_id ? (
          <Fact name={words.chat}>
            <ChatLink id={task.chat_id} />
          </Fact>
        ) : null}
        {task.run_at ? (
          <Fact name={words.scheduled}>
            <Ago time={task.run_at} />
          </Fact>
        ) : null}
        {cost.data && cost.data.charged > 0 ? <Fact name={words.cost}>{moneyText(cost.data.charged)}</Fact> : null}
      </dl>
    </Panel>
  )
}

/** The person who started the run, and the scopes: the reason why it was allowed. */
const Authority = ({ id }: { id: string }) => {
  const { data, error } = useQuery(read('tasks.authority', { path: { id } }))
  return (
    <Panel title={words.permissions}>
      {error ? <ProblemNote error={error} /> : null}
      {data ? <AuthorityChain chain={data.chain} /> : error ? null : <SkeletonRows rows={2} />}
    </Panel>
  )
}

const Files = ({ id, over }: { id: string; over: boolean }) => {
  const { data: files = [] } = useQuery({ ...read('tasks.files', { path: { id } }), enabled: over })
  if (files.length === 0) return null
  return (
    <Panel title={words.files}>
      <ul className="flex flex-col gap-1">
        {files.map((file) => (
          <li key={`${file.id} ${file.field}`} className="flex gap-2">
            <a href={file.uri} className="min-w-0 grow truncate text-accent hover:underline" download>
              {file.filename}
            </a>
            <span className="truncate text-faint">{file.field}</span>
            <span className="figures text-faint">{sizeText(file.size)}</span>
          </li>
        ))}
      </ul>
    </Panel>
  )
}

const RunPage = () => {
  const { id } = useParams({ from: '/runs/$id' })
  const { team } = useSession()
  const { task, error, streamed } = useRun(id)
  const trail = (
    <Link to="/runs" search={{}} className="hover:underline">
      {strings.title}
    </Link>
  )
  if (!task)
    return (
      <Page title={words.title} trail={trail}>
        {error ? <ProblemNote error={error} /> : <SkeletonRows />}
      </Page>
    )
  const over = isTerminal(task.status)
  return (
    <Page
      title={appNameOf(task)}
      tab={words.titleOf(appNameOf(task))}
      trail={trail}
      note={
        <span className="flex flex-wrap items-center gap-x-3">
          <TaskStatus status={task.status} />
          <Took from={task.created_at} to={endOf(task)} />
          <Ago time={task.created_at} />
        </span>
      }
      actions={
        <>
          <CancelRun task={task} />
          <Again task={task} />
          {task.team_id === team.id ? <DeleteRun task={task} /> : null}
        </>
      }
    >
      <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_300px]">
        <div className="flex min-w-0 flex-col gap-4">
          <Panel title={words.output}>
            <Result task={task} streamed={streamed} />
          </Panel>
          <RunTree task={task} />
          <Panel title={words.timeline}>
            <Timeline events={task.events} over={over} />
          </Panel>
          <Panel title={words.logs} flush>
            <Logs logs={task.logs ?? []} live={!over} />
          </Panel>
          {over ? <MachineLoad id={task.id} /> : null}
        </div>
        <div className="flex min-w-0 flex-col gap-4">
          <Facts task={task} />
          <Panel title={words.input}>
            <JsonView value={task.input} />
          </Panel>
          <Files id={task.id} over={over} />
          {over && task.webhook !== '' ? <Deliveries id={task.id} mayAct={task.team_id === team.id} /> : null}
          {task.team_id === team.id ? <Authority id={task.id} /> : null}
        </div>
      </div>
    </Page>
  )
}

export default RunPage
