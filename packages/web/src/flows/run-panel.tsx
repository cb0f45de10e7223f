// The run shown on the graph: its status, input and output of the selected node, and running it again.
import { flowRunStatus } from '@millrace/contract/flow-run-status'
import type { FlowRun } from '@millrace/contract/flow-runs'
import { useQuery } from '@tanstack/react-query'
import { RotateCcw, Square } from 'lucide-react'
import { call } from '../api/call.ts'
import { read } from '../api/queries.ts'
import { AuthorityChain } from '../runs/authority-chain.tsx'
import { RunView } from '../runs/run-view.tsx'
import { visibilityStrings } from '../shell/visibility.ts'
import { VisibilitySelect } from '../shell/visibility-select.tsx'
import { useAct } from '../ui/act.ts'
import { Button, ButtonLink } from '../ui/button.tsx'
import { Field } from '../ui/field.tsx'
import { JsonView } from '../ui/json-view.tsx'
import { ProblemNote, SkeletonRows } from '../ui/page.tsx'
import { FlowRunStatus, Status, toneOfNode } from '../ui/status.tsx'
import { Took } from '../ui/time.tsx'
import { LoopItems } from './loop-items.tsx'
import { sampleInput } from './sample.ts'
import { strings } from './strings.ts'
import { WaitNote } from './wait-note.tsx'

const words = strings.run

const isOver = (run: FlowRun): boolean => run.status >= flowRunStatus.completed

type Statuses = Readonly<Record<string, string>>

const NodePart = ({ run, statuses, nodeId }: { run: FlowRun; statuses: Statuses; nodeId: string }) => {
  const status = statuses[nodeId] ?? 'pending'
  const { task_id: taskId, chat_id: chatId } = run.node_tasks[nodeId] ?? {}
  const stored = run.node_outputs?.[nodeId]
  const node = run.flow_version?.nodes.find(({ id }) => id === nodeId)
  const input = node?.type === 'inputNode' || !run.flow_version ? run.input : sampleInput(run.flow_version, nodeId, run)
  return (
    <div className="flex flex-col gap-3 border-t pt-3">
      <h2 className="font-medium">{nodeId}</h2>
      <div>
        <h3 className="text-[12px] text-faint">{words.input}</h3>
        <JsonView value={input} />
      </div>
      {taskId ? <RunView key={taskId} id={taskId} compact /> : <Status tone={toneOfNode(status)}>{status}</Status>}
      {run.node_loops?.[nodeId] ? (
        <LoopItems key={nodeId} run={run} nodeId={nodeId} progress={run.node_loops[nodeId]} />
      ) : null}
      {run.node_waits?.[nodeId] ? <WaitNote wait={run.node_waits[nodeId]} /> : null}
      {chatId ? (
        <ButtonLink to="/chats/$id" params={{ id: chatId }} className="self-start">
          {words.openChat}
        </ButtonLink>
      ) : null}
      {stored ? (
        <div>
          <h3 className="text-[12px] text-faint">{words.output}</h3>
          <JsonView value={stored.value} />
        </div>
      ) : null}
    </div>
  )
}

/** The person who started the run, and the scopes. */
const Authority = ({ id }: { id: string }) => {
  const { data, error } = useQuery(read('flow_runs.authority', { path: { id } }))
  if (error) return <ProblemNote error={error} />
  return data ? <AuthorityChain chain={data.chain} /> : <SkeletonRows rows={2} />
}

export const RunPanel = ({
  run,
  statuses,
  nodeId,
  onRun,
}: {
  run: FlowRun
  statuses: Statuses
  nodeId: string | undefined
  onRun: (id: string) => void
}) => {
  const cancel = useAct({ work: () => call('flow_runs.cancel', { path: { id: run.id } }), touches: ['flow_runs'] })
  const again = useAct({
    work: (from: string | undefined) =>
      call('flow_runs.rerun', { path: { id: run.id }, body: from === undefined ? {} : { node_id: from } }),
    touches: ['flow_runs'],
    after: ({ id }) => onRun(id),
  })
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-3">
        <FlowRunStatus status={run.status} />
        <Took from={run.created_at} to={run.flow_run_finished ?? (isOver(run) ? run.updated_at : undefined)} />
        <span className="grow" />
        {isOver(run) ? (
          <Button busy={again.isPending} onClick={() => again.mutate(nodeId)}>
            <RotateCcw aria-hidden /> {nodeId === undefined ? words.rerun : words.rerunFrom(nodeId)}
          </Button>
        ) : (
          <Button look="danger" busy={cancel.isPending} onClick={() => cancel.mutate()}>
            <Square aria-hidden /> {words.cancel}
          </Button>
        )}
      </div>
      {run.error ? <p className="rounded-md bg-bad-soft px-3 py-2 text-bad">{run.error}</p> : null}
      {nodeId === undefined ? (
        <>
          <h2 className="font-medium">{words.output}</h2>
          <JsonView value={run.output} />
          <h2 className="font-medium">{words.input}</h2>
          <JsonView value={run.input} />
          <p className="text-faint">{words.hint}</p>
          <Field label={visibilityStrings.label} help={words.visibilityHelp}>
            {(ids) => (
              <VisibilitySelect
                row={run}
                touches={['flow_runs', 'tasks']}
                save={(visibility) => call('flow_runs.set_visibility', { path: { id: run.id }, body: { visibility } })}
                ids={ids}
              />
            )}
          </Field>
          <h2 className="font-medium">{words.permissions}</h2>
          <Authority id={run.id} />
        </>
      ) : (
        <NodePart run={run} statuses={statuses} nodeId={nodeId} />
      )}
    </div>
  )
}
