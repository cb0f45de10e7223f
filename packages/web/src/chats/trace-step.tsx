// The input and output of one step of a trace. Loaded when the step is opened, because a chat may have hundreds of steps.
import type { TraceNode } from '@millrace/contract/chat-trace'
import type { ChatMessage, ToolInvocation } from '@millrace/contract/chats'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { call } from '../api/call.ts'
import { read } from '../api/queries.ts'
import { JsonView } from '../ui/json-view.tsx'
import { ProblemNote, Skeleton } from '../ui/page.tsx'
import { strings } from './strings.ts'
import { contentOf } from './trace-rows.ts'

const words = strings.trace
const maxText = 1200

const LongText = ({ text }: { text: string }) => {
  const [isExpanded, setIsExpanded] = useState(false)
  const isCut = !isExpanded && text.length > maxText
  return (
    <div className="whitespace-pre-wrap break-words font-mono text-[12px] leading-5">
      {isCut ? `${text.slice(0, maxText)} …` : text}
      {isCut ? (
        <button type="button" className="ml-1 text-accent underline" onClick={() => setIsExpanded(true)}>
          {words.showAll}
        </button>
      ) : null}
    </div>
  )
}

const Labeled = ({ title, value }: { title: string; value: unknown }) => (
  <div>
    <p className="text-[12px] text-faint">{title}</p>
    {typeof value === 'string' ? <LongText text={value} /> : <JsonView value={value} />}
  </div>
)

const RunLink = ({ id, children }: { id: string; children: ReactNode }) => (
  <Link to="/runs/$id" params={{ id }} className="text-accent hover:underline">
    {children}
  </Link>
)

const CallDetails = ({
  invocation: { function: called, result, status, type, execution_id },
}: {
  invocation: ToolInvocation
}) => (
  <>
    <Labeled title={words.input} value={called.arguments} />
    {result === undefined ? (
      <p className="text-soft">{words.noOutput(status.replaceAll('_', ' '))}</p>
    ) : (
      <Labeled title={words.output} value={result} />
    )}
    {type === 'app' && execution_id ? <RunLink id={execution_id}>{strings.tool.openRun}</RunLink> : null}
  </>
)

const MessageDetails = ({ message: { role, content, task_id } }: { message: ChatMessage }) => (
  <>
    <Labeled title={role === 'assistant' ? words.output : words.input} value={contentOf(content)} />
    {task_id ? <RunLink id={task_id}>{words.openModelRun}</RunLink> : null}
  </>
)

/** A tool call is part of the message that made it. */
const MessageStep = ({ chatId, messageId, callId }: { chatId: string; messageId: string; callId?: string }) => {
  const { data, error, isPending } = useQuery({
    queryKey: ['chats', 'trace step', chatId, messageId],
    queryFn: async ({ signal }) => {
      const filters = [{ field: 'id', operator: 'eq', value: messageId }]
      const { items } = await call('chats.messages', { path: { id: chatId }, body: { limit: 1, filters } }, { signal })
      return (items[0] ?? null) as ChatMessage | null
    },
  })
  if (error) return <ProblemNote error={error} />
  if (isPending) return <Skeleton className="h-12" />
  const invocation = data?.tool_invocations.find(({ id }) => id === callId)
  if (invocation) return <CallDetails invocation={invocation} />
  return data && callId === undefined ? <MessageDetails message={data} /> : <p className="text-soft">{words.deleted}</p>
}

const RunStep = ({ chatId, id }: { chatId: string; id: string }) => {
  const { data: run, error } = useQuery(read('agent_runs.get', { path: { id } }))
  if (error) return <ProblemNote error={error} />
  if (!run) return <Skeleton className="h-12" />
  return (
    <>
      {run.user_message_id ? <MessageStep chatId={chatId} messageId={run.user_message_id} /> : null}
      {run.output === undefined || run.output === null ? null : <Labeled title={words.output} value={run.output} />}
      {run.error ? <p className="rounded-md bg-bad-soft px-3 py-2 text-bad">{run.error}</p> : null}
      <p className="text-soft">{words.turns(run.state.replaceAll('_', ' '), run.turn_count)}</p>
    </>
  )
}

export const StepDetails = ({ step, parent }: { step: TraceNode; parent: string | undefined }) => {
  const { graph_id: chatId, resource_id: id, resource_type: type } = step
  return (
    <div className="flex flex-col gap-2 rounded-md border bg-canvas px-3 py-2">
      {type === 'agent_runs' ? <RunStep chatId={chatId} id={id} /> : null}
      {type === 'chat_messages' ? <MessageStep chatId={chatId} messageId={id} /> : null}
      {type === 'tool_invocations' ? <MessageStep chatId={chatId} messageId={parent ?? ''} callId={id} /> : null}
    </div>
  )
}
