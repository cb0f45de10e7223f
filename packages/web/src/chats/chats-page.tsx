// The list of chats.
import type { Chat } from '@millrace/contract/chats'
import { linkOptions, useSearch } from '@tanstack/react-router'
import { MessagesSquare } from 'lucide-react'
import { eqFilter, given } from '../api/address-filters.ts'
import { searchFor } from '../api/list-address.ts'
import { useLongList } from '../api/long-list.ts'
import { visibilityLabels } from '../shell/visibility.ts'
import { ButtonLink } from '../ui/button.tsx'
import { ChoiceChips } from '../ui/choice-chips.tsx'
import { LongTable } from '../ui/long-table.tsx'
import { Empty, Page } from '../ui/page.tsx'
import { SearchField } from '../ui/search-field.tsx'
import { uiStrings } from '../ui/strings.ts'
import type { Column } from '../ui/table.tsx'
import { Ago } from '../ui/time.tsx'
import { useChangeAddress, useTerm } from '../ui/use-list-address.ts'
import { useSort } from '../ui/use-sort.ts'
import { chatsAddress } from './address.ts'
import { ChatStatus, failureOf } from './chat-status.tsx'
import { strings } from './strings.ts'

const linkOf = ({ id }: Chat) => linkOptions({ to: '/chats/$id', params: { id } })

const failedFilters = [{ field: 'last_error', operator: 'neq', value: '' }]

const columns: Column<Chat>[] = [
  {
    id: 'status',
    header: uiStrings.status,
    sort: 'status',
    width: '130px',
    mark: true,
    cell: (chat) => <ChatStatus chat={chat} />,
  },
  {
    id: 'name',
    header: strings.columns.chat,
    main: true,
    sort: 'name',
    width: '3fr',
    cell: ({ name }) => <span className="font-medium">{name || strings.untitled}</span>,
  },
  {
    id: 'error',
    header: strings.columns.error,
    width: '2fr',
    wide: true,
    cell: (chat) => <span className="text-bad">{failureOf(chat)}</span>,
  },
  {
    id: 'agent',
    header: strings.columns.agent,
    width: '1fr',
    wide: true,
    cell: ({ agent }) => <span className="text-soft">{agent ? agent.title || agent.name : strings.adHocAgent}</span>,
  },
  {
    id: 'visibility',
    header: uiStrings.visibility,
    width: '90px',
    wide: true,
    cell: ({ visibility }) => visibilityLabels[visibility],
  },
  {
    id: 'time',
    header: strings.columns.lastMessage,
    width: '100px',
    sort: 'updated_at',
    end: true,
    cell: ({ updated_at }) => <Ago time={updated_at} />,
  },
]

const ChatsPage = () => {
  const change = useChangeAddress()
  const { q = '', status } = chatsAddress(useSearch({ from: '/chats' }))
  const [term, setTerm] = useTerm(q)
  const sorting = useSort('updated_at', 'desc')
  const list = useLongList('chats.list', {
    sort: [sorting.sort],
    preloads: ['agent'],
    filters: status === 'failed' ? failedFilters : given([eqFilter('status', status)]),
    ...searchFor(q),
  })
  const chooseAgent = (
    <ButtonLink to="/agents" look="primary">
      {strings.chooseAgent}
    </ButtonLink>
  )
  return (
    <Page full title={strings.title} note={strings.note} actions={chooseAgent}>
      <div className="mb-3 flex flex-wrap items-center gap-x-4 gap-y-1.5 px-4 md:px-6">
        <SearchField label={strings.search} className="sm:max-w-64" value={term} onChange={setTerm} />
        <ChoiceChips
          label={uiStrings.status}
          choices={{ ...strings.statuses, failed: strings.failed }}
          chosen={status}
          onChoose={(next) => void change({ status: next })}
        />
      </div>
      <div className="mx-4 mb-4 flex min-h-0 grow flex-col overflow-hidden rounded-lg border bg-surface md:mx-6">
        <LongTable
          label={strings.title}
          list={list}
          columns={columns}
          rowKey={({ id }) => id}
          {...sorting}
          linkOf={linkOf}
          empty={
            q !== '' || status !== undefined ? (
              <Empty
                icon={MessagesSquare}
                title={strings.noMatch}
                action={<ButtonLink to="/chats">{strings.showAll}</ButtonLink>}
              />
            ) : (
              <Empty icon={MessagesSquare} title={strings.emptyTitle} action={chooseAgent}>
                {strings.emptyText}
              </Empty>
            )
          }
        />
      </div>
    </Page>
  )
}

export default ChatsPage
