// The inbox: what agents ask, across all chats, answered from here.
import type { Chat, Interrupt } from '@millrace/contract/chats'
import { isRecord } from '@millrace/contract/json'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Inbox } from 'lucide-react'
import { read } from '../api/queries.ts'
import { ButtonLink } from '../ui/button.tsx'
import { JsonView } from '../ui/json-view.tsx'
import { Empty, Page, Panel, ProblemNote, Skeleton, SkeletonRows } from '../ui/page.tsx'
import { Ago } from '../ui/time.tsx'
import { Approval, HandIn, Question, questionOf } from './asking.tsx'
import { useMayAct } from './chat-page.tsx'
import { type Behind, useAskedCall, useFlowsBehind, useInbox } from './inbox.ts'
import { Widget } from './widget.tsx'

/** A form is filled in here, and a result handed in, as they would be in the chat. */
const AskedCall = ({ interrupt }: { interrupt: Interrupt }) => {
  const { data: invocation, isPending } = useAskedCall(interrupt)
  const widget = invocation?.widget
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-3">
        <p className="grow font-medium">{questionOf(interrupt)}</p>
        <ButtonLink to="/chats/$id" params={{ id: interrupt.chat_id }}>
          Answer in the chat
        </ButtonLink>
      </div>
      {isPending ? <Skeleton className="h-16" /> : null}
      {invocation && widget !== undefined ? <Widget invocation={invocation} mayAnswer /> : null}
      {invocation && widget === undefined ? <HandIn invocation={invocation} /> : null}
    </div>
  )
}

const InFlow = ({ behind: { flowId, runId, nodeId } }: { behind: Behind }) => {
  const { data: flow } = useQuery(read('flows.get', { path: { id: flowId } }))
  return (
    <p className="mb-3 text-soft">
      Asked in{' '}
      <Link to="/flows/$id" params={{ id: flowId }} search={{ run: runId }} className="text-accent underline">
        {flow ? flow.title || flow.name : 'a flow'}
      </Link>
      , step {nodeId}
    </p>
  )
}

const Asked = ({ interrupt }: { interrupt: Interrupt }) => {
  const { reason, chat_id, resource_id, meta } = interrupt
  if (reason === 'tool_approval' && resource_id)
    return (
      <div className="flex flex-col gap-2">
        <p className="font-medium">{questionOf(interrupt)}</p>
        <JsonView value={isRecord(meta) ? (meta.arguments ?? {}) : {}} />
        <Approval chatId={chat_id} callId={resource_id} />
      </div>
    )
  if (reason === 'widget' || reason === 'client_tool') return <AskedCall interrupt={interrupt} />
  return <Question interrupt={interrupt} />
}

const Asking = ({ chat, behind }: { chat: Chat; behind: Behind | undefined }) => {
  const { mayAct } = useMayAct(chat)
  return (
    <Panel
      title={
        <Link to="/chats/$id" params={{ id: chat.id }} className="hover:underline">
          {chat.name || 'Chat'}
        </Link>
      }
      actions={
        <span className="text-faint">
          {chat.agent ? `${chat.agent.title || chat.agent.name} · ` : ''}
          <Ago time={chat.pending_interrupts[0]?.created_at ?? chat.updated_at} />
        </span>
      }
    >
      {behind ? <InFlow behind={behind} /> : null}
      {mayAct ? (
        <ul className="flex flex-col gap-4">
          {chat.pending_interrupts.map((interrupt) => (
            <li key={interrupt.id}>
              <Asked interrupt={interrupt} />
            </li>
          ))}
        </ul>
      ) : (
        <p className="text-soft">This chat is a colleague’s; only they can answer.</p>
      )}
    </Panel>
  )
}

const InboxPage = () => {
  const { data, error, refetch } = useInbox()
  const flows = useFlowsBehind((data ?? []).length > 0)
  return (
    <Page title="Inbox" note="What agents and flows ask before they go on.">
      {error ? <ProblemNote error={error} retry={() => void refetch()} /> : null}
      {!data && !error ? <SkeletonRows /> : null}
      <div className="flex max-w-3xl flex-col gap-4">
        {(data ?? []).map((chat) => (
          <Asking key={chat.id} chat={chat} behind={flows?.get(chat.id) ?? flows?.get(chat.parent_id ?? '')} />
        ))}
      </div>
      {data?.length === 0 ? (
        <Empty icon={Inbox} title="Nothing waits for you" action={<ButtonLink to="/chats">To the chats</ButtonLink>}>
          Approvals, forms and gates of agents appear here as soon as they come up.
        </Empty>
      ) : null}
    </Page>
  )
}

export default InboxPage
