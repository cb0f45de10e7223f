// The inbox: what agents ask, across all chats, answered from here.
import type { Chat, Interrupt } from '@millrace/contract/chats'
import { isRecord } from '@millrace/contract/json'
import { Link } from '@tanstack/react-router'
import { Inbox } from 'lucide-react'
import { ButtonLink } from '../ui/button.tsx'
import { JsonView } from '../ui/json-view.tsx'
import { Empty, Page, Panel, ProblemNote, SkeletonRows } from '../ui/page.tsx'
import { Ago } from '../ui/time.tsx'
import { Approval, Question, questionOf } from './asking.tsx'
import { useMayAct } from './chat-page.tsx'
import { useInbox } from './inbox.ts'

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
  if (reason === 'widget' || reason === 'client_tool')
    return (
      <div className="flex flex-wrap items-center gap-3">
        <p className="grow font-medium">{questionOf(interrupt)}</p>
        <ButtonLink to="/chats/$id" params={{ id: chat_id }} look="primary">
          Answer in the chat
        </ButtonLink>
      </div>
    )
  return <Question interrupt={interrupt} />
}

const Asking = ({ chat }: { chat: Chat }) => {
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
  return (
    <Page title="Inbox" note="What agents and flows ask before they go on.">
      {error ? <ProblemNote error={error} retry={() => void refetch()} /> : null}
      {!data && !error ? <SkeletonRows /> : null}
      <div className="flex max-w-3xl flex-col gap-4">
        {(data ?? []).map((chat) => (
          <Asking key={chat.id} chat={chat} />
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
