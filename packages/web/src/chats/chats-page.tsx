// The list of conversations.
import type { Chat } from '@millrace/contract/chats'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { MessagesSquare } from 'lucide-react'
import { eqFilter, given } from '../api/address-filters.ts'
import { searchFor } from '../api/list-address.ts'
import { useLongList } from '../api/long-list.ts'
import { ButtonLink } from '../ui/button.tsx'
import { ChoiceChips } from '../ui/choice-chips.tsx'
import { LongTable } from '../ui/long-table.tsx'
import { Empty, Page } from '../ui/page.tsx'
import { SearchField } from '../ui/search-field.tsx'
import type { Column } from '../ui/table.tsx'
import { Ago } from '../ui/time.tsx'
import { useChangeAddress, useTerm } from '../ui/use-list-address.ts'
import { useSort } from '../ui/use-sort.ts'
import { chatsAddress, statusWords } from './address.ts'
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
  const change = useChangeAddress()
  const { q = '', status } = chatsAddress(useSearch({ from: '/chats' }))
  const [term, setTerm] = useTerm(q)
  const sorting = useSort('updated_at', 'desc')
  const list = useLongList('chats.list', {
    sort: [sorting.sort],
    preloads: ['agent'],
    filters: given([eqFilter('status', status)]),
    ...searchFor(q),
  })
  const begin = (
    <ButtonLink to="/agents" look="primary">
      Choose an agent
    </ButtonLink>
  )
  return (
    <Page full title="Chats" note="Conversations with agents, and what they did." actions={begin}>
      <div className="mb-3 flex flex-wrap items-center gap-x-4 gap-y-1.5 px-4 md:px-6">
        <SearchField label="Search chats" className="sm:max-w-64" value={term} onChange={setTerm} />
        <ChoiceChips
          label="Status"
          choices={statusWords}
          chosen={status}
          onChoose={(next) => void change({ status: next })}
        />
      </div>
      <div className="mx-4 mb-4 flex min-h-0 grow flex-col overflow-hidden rounded-lg border bg-surface md:mx-6">
        <LongTable
          label="Chats"
          list={list}
          columns={columns}
          rowKey={({ id }) => id}
          {...sorting}
          onOpen={({ id }) => void navigate({ to: '/chats/$id', params: { id } })}
          empty={
            q !== '' || status !== undefined ? (
              <Empty
                icon={MessagesSquare}
                title="No chat matches"
                action={<ButtonLink to="/chats">Show all</ButtonLink>}
              />
            ) : (
              <Empty icon={MessagesSquare} title="No chats yet" action={begin}>
                Every conversation with an agent is kept here, with what it did and why it was allowed to.
              </Empty>
            )
          }
        />
      </div>
    </Page>
  )
}

export default ChatsPage
