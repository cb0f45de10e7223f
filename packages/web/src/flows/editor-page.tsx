// The flow editor: the canvas, the settings of the selected node, and runs shown live on the graph.
import type { FlowRun } from '@millrace/contract/flow-runs'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { ReactFlowProvider } from '@xyflow/react'
import { useEffect, useMemo, useState } from 'react'
import { useList } from '../api/list.ts'
import { read } from '../api/queries.ts'
import { refresh } from '../api/refresh.ts'
import { followStream } from '../api/stream.ts'
import { useInbox } from '../chats/inbox.ts'
import { Button } from '../ui/button.tsx'
import { Page } from '../ui/page.tsx'
import { StatusIcon, toneOfFlowRun } from '../ui/status.tsx'
import { uiStrings } from '../ui/strings.ts'
import { Ago } from '../ui/time.tsx'
import { withApprovals } from './approvals.ts'
import { Canvas } from './canvas.tsx'
import { EditorBar } from './editor-bar.tsx'
import { Inspector } from './inspector.tsx'
import { RunPanel } from './run-panel.tsx'
import { strings } from './strings.ts'
import { useFlow, useKnown } from './use-flow.ts'

const words = strings.editor

/** Stream events only signal a change; the statuses of the nodes are read with the run. */
const useShownRun = (id: string | undefined): FlowRun | undefined => {
  const client = useQueryClient()
  const { data } = useQuery({ ...read('flow_runs.get', { path: { id: id ?? '' } }), enabled: id !== undefined })
  useEffect(() => {
    if (id === undefined) return
    return followStream('flow_runs.stream', {
      path: { id },
      onEvent: () => void refresh(client, { queryKey: ['flow_runs'] }),
    })
  }, [client, id])
  return id === undefined ? undefined : data
}

/** The node statuses of the run; nodes with a pending approval are marked, according to the inbox. */
const useStatuses = (run: FlowRun | undefined): Readonly<Record<string, string>> | undefined => {
  const { data: asking } = useInbox()
  return useMemo(() => run && withApprovals(run, asking ?? []), [run, asking])
}

const PastRuns = ({
  flowId,
  shown,
  onShow,
}: {
  flowId: string
  shown: string | undefined
  onShow: (id: string) => void
}) => {
  const list = useList('flow_runs.list', {
    limit: 10,
    sort: [{ field: 'created_at', dir: 'desc' }],
    filters: [{ field: 'flow_id', operator: 'eq', value: flowId }],
  })
  if (list.items.length === 0) return <p className="text-faint">{words.noRuns}</p>
  return (
    <>
      <ul>
        {list.items.map(({ id, status, created_at }) => (
          <li key={id}>
            <button
              type="button"
              aria-pressed={id === shown}
              className="flex w-full items-center gap-2 rounded px-2 py-1.5 text-left hover:bg-hover aria-pressed:bg-hover"
              onClick={() => onShow(id)}
            >
              <StatusIcon tone={toneOfFlowRun(status)} />
              <code className="grow font-mono text-[12px]">{id.slice(0, 8)}</code>
              <span className="text-faint">
                <Ago time={created_at} />
              </span>
            </button>
          </li>
        ))}
      </ul>
      {list.more || list.isLoadingMore ? (
        <Button look="quiet" busy={list.isLoadingMore} onClick={() => list.more?.()}>
          {uiStrings.showMore}
        </Button>
      ) : null}
    </>
  )
}

const EditorPage = () => {
  const { id } = useParams({ from: '/flows/$id' })
  const { run: runId } = useSearch({ from: '/flows/$id' })
  const navigate = useNavigate()
  const { flow, act } = useFlow(id)
  const run = useShownRun(runId)
  const known = useKnown([flow, run?.flow_version])
  const statuses = useStatuses(run)
  const [chosen, setChosen] = useState<string>()
  const show = (next: string | undefined) =>
    void navigate({ to: '/flows/$id', params: { id }, search: next === undefined ? {} : { run: next } })
  const graph = run?.flow_version ?? flow
  const node = graph.nodes.find((each) => each.id === chosen)
  return (
    <Page
      full
      title={flow.title || flow.name}
      trail={
        <Link to="/flows" className="hover:underline">
          {strings.title}
        </Link>
      }
      actions={<EditorBar flow={flow} act={act} run={run} onRun={show} />}
    >
      <div className="flex min-h-0 grow flex-col border-t md:flex-row">
        <section aria-label={words.graph} className="min-h-72 min-w-0 grow">
          <Canvas graph={graph} known={known} statuses={statuses} act={run ? undefined : act} onChoose={setChosen} />
        </section>
        <aside
          className="w-full shrink-0 overflow-y-auto border-l bg-surface p-3 max-md:max-h-80 md:w-80"
          aria-label={words.details}
        >
          {run ? <RunPanel run={run} statuses={statuses ?? {}} nodeId={node?.id} onRun={show} /> : null}
          {!run && node ? (
            <Inspector flow={flow} node={node} known={known} act={act} onRemoved={() => setChosen(undefined)} />
          ) : null}
          {!run && !node ? <p className="mb-4 text-soft">{words.hint}</p> : null}
          <h2 className="mt-4 mb-1 border-t pt-3 font-medium">{words.runs}</h2>
          <PastRuns flowId={flow.id} shown={runId} onShow={show} />
        </aside>
      </div>
    </Page>
  )
}

/** The toolbar reads the viewport of the canvas, so both are inside one provider. */
const EditorWithBoard = () => (
  <ReactFlowProvider>
    <EditorPage />
  </ReactFlowProvider>
)

export default EditorWithBoard
