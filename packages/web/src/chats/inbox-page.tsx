// The inbox: pending requests of agents in all chats, which can be answered here.
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
import { Approval, Request, ResultForm, titleOf } from './approvals.tsx'
import { useMayAct } from './chat-page.tsx'
import { type FlowNode, useFlowNodes, useInbox, useToolCall } from './inbox.ts'
import { strings } from './strings.ts'
import { Widget } from './widget.tsx'

const words = strings.inbox

/** A form or a result field, as in the chat. */
const ToolCallRequest = ({ interrupt }: { interrupt: Interrupt }) => {
  const { data: invocation, isPending } = useToolCall(interrupt)
  const widget = invocation?.widget
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-3">
        <p className="grow font-medium">{titleOf(interrupt)}</p>
        <ButtonLink to="/chats/$id" params={{ id: interrupt.chat_id }}>
          {words.openChat}
        </ButtonLink>
      </div>
      {isPending ? <Skeleton className="h-16" /> : null}
      {invocation && widget !== undefined ? <Widget invocation={invocation} mayAnswer /> : null}
      {invocation && widget === undefined ? <ResultForm invocation={invocation} /> : null}
    </div>
  )
}

const FlowLink = ({ node: { flowId, runId, nodeId } }: { node: FlowNode }) => {
  const { data: flow } = useQuery(read('flows.get', { path: { id: flowId } }))
  return (
    <p className="mb-3 text-soft">
      {words.askedIn}{' '}
      <Link to="/flows/$id" params={{ id: flowId }} search={{ run: runId }} className="text-accent underline">
        {flow ? flow.title || flow.name : words.unnamedFlow}
      </Link>
      , {words.node(nodeId)}
    </p>
  )
}

const InboxRequest = ({ interrupt }: { interrupt: Interrupt }) => {
  const { reason, chat_id, resource_id, meta } = interrupt
  if (reason === 'tool_approval' && resource_id)
    return (
      <div className="flex flex-col gap-2">
        <p className="font-medium">{titleOf(interrupt)}</p>
        <JsonView value={isRecord(meta) ? (meta.arguments ?? {}) : {}} />
        <Approval chatId={chat_id} callId={resource_id} />
      </div>
    )
  if (reason === 'widget' || reason === 'client_tool') return <ToolCallRequest interrupt={interrupt} />
  return <Request interrupt={interrupt} />
}

const ChatRequests = ({ chat, node }: { chat: Chat; node: FlowNode | undefined }) => {
  const { mayAct } = useMayAct(chat)
  return (
    <Panel
      title={
        <Link to="/chats/$id" params={{ id: chat.id }} className="hover:underline">
          {chat.name || strings.chat.title}
        </Link>
      }
      actions={
        <span className="text-faint">
          {chat.agent ? `${chat.agent.title || chat.agent.name} · ` : ''}
          <Ago time={chat.pending_interrupts[0]?.created_at ?? chat.updated_at} />
        </span>
      }
    >
      {node ? <FlowLink node={node} /> : null}
      {mayAct ? (
        <ul className="flex flex-col gap-4">
          {chat.pending_interrupts.map((interrupt) => (
            <li key={interrupt.id}>
              <InboxRequest interrupt={interrupt} />
            </li>
          ))}
        </ul>
      ) : (
        <p className="text-soft">{words.notYours}</p>
      )}
    </Panel>
  )
}

const InboxPage = () => {
  const { data, error, refetch } = useInbox()
  const nodes = useFlowNodes((data ?? []).length > 0)
  return (
    <Page title={words.title} note={words.note}>
      {error ? <ProblemNote error={error} retry={() => void refetch()} /> : null}
      {!data && !error ? <SkeletonRows /> : null}
      <div className="flex max-w-3xl flex-col gap-4">
        {(data ?? []).map((chat) => (
          <ChatRequests key={chat.id} chat={chat} node={nodes?.get(chat.id) ?? nodes?.get(chat.parent_id ?? '')} />
        ))}
      </div>
      {data?.length === 0 ? (
        <Empty icon={Inbox} title={words.emptyTitle} action={<ButtonLink to="/chats">{words.openChats}</ButtonLink>}>
          {words.emptyText}
        </Empty>
      ) : null}
    </Page>
  )
}

export default InboxPage
