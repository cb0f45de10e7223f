// The list of conversations.
import type { Chat } from '@millrace/contract/chats'
import { useNavigate } from '@tanstack/react-router'
import { MessagesSquare } from 'lucide-react'
import { useLongList } from '../api/long-list.ts'
import { ButtonLink } from '../ui/button.tsx'
import { LongTable } from '../ui/long-table.tsx'
import { Empty, Page } from '../ui/page.tsx'
import type { Column } from '../ui/table.tsx'
import { Ago } from '../ui/time.tsx'
import { useSort } from '../ui/use-sort.ts'
import { ChatStatus } from './chat-status.tsx'

const columns: Column<Chat>[] = [
  {
    id: 'status',
    header: 'Status',
    sort: 'status',
    width: '130px',
    mark: true,
    cell: (chat) => <ChatStatus chat={chat} />,
  },
  {
    id: 'name',
    header: 'Chat',
    sort: 'name',
    width: '3fr',
    cell: ({ name }) => <span className="font-medium">{name || 'New chat'}</span>,
  },
  {
    id: 'agent',
    header: 'Agent',
    width: '1fr',
    wide: true,
    cell: ({ agent }) => <span className="text-soft">{agent ? agent.title || agent.name : 'ad hoc'}</span>,
  },
  { id: 'visibility', header: 'Seen by', width: '90px', wide: true, cell: ({ visibility }) => visibility },
  {
    id: 'time',
    header: 'Last word',
    width: '100px',
    sort: 'updated_at',
    end: true,
    cell: ({ updated_at }) => <Ago time={updated_at} />,
  },
]

const ChatsPage = () => {
  const navigate = useNavigate()
  const sorting = useSort('updated_at', 'desc')
  const list = useLongList('chats.list', { sort: [sorting.sort], preloads: ['agent'] })
  const begin = (
    <ButtonLink to="/agents" look="primary">
      Choose an agent
    </ButtonLink>
  )
  return (
    <Page full title="Chats" note="Conversations with agents, and what they did." actions={begin}>
      <div className="mx-4 mb-4 flex min-h-0 grow flex-col overflow-hidden rounded-lg border bg-surface md:mx-6">
        <LongTable
          label="Chats"
          list={list}
          columns={columns}
          rowKey={({ id }) => id}
          {...sorting}
          onOpen={({ id }) => void navigate({ to: '/chats/$id', params: { id } })}
          empty={
            <Empty icon={MessagesSquare} title="No chats yet" action={begin}>
              Every conversation with an agent is kept here, with what it did and why it was allowed to.
            </Empty>
          }
        />
      </div>
    </Page>
  )
}

export default ChatsPage
