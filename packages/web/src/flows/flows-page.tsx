// The list of flows, and the action that creates one.
import type { Flow } from '@millrace/contract/flows'
import { linkOptions, useNavigate, useSearch } from '@tanstack/react-router'
import { Workflow } from 'lucide-react'
import { useEffect } from 'react'
import { given } from '../api/address-filters.ts'
import { call } from '../api/call.ts'
import { useList } from '../api/list.ts'
import { searchFor } from '../api/list-address.ts'
import { TemplateButton } from '../templates/template-button.tsx'
import { useAct } from '../ui/act.ts'
import { Button, ButtonLink } from '../ui/button.tsx'
import { ChoiceChips } from '../ui/choice-chips.tsx'
import { Empty, Page, Panel } from '../ui/page.tsx'
import { SearchField } from '../ui/search-field.tsx'
import { uiStrings } from '../ui/strings.ts'
import { type Column, Table } from '../ui/table.tsx'
import { Ago } from '../ui/time.tsx'
import { useChangeAddress, useTerm } from '../ui/use-list-address.ts'
import { useSort } from '../ui/use-sort.ts'
import { type FlowState, flowsAddress, stateFilter } from './address.ts'
import { PublishStatus } from './publish-status.tsx'
import { strings } from './strings.ts'

const states: Record<FlowState, string> = { published: strings.statuses.published, draft: strings.statuses.draft }

const startGraph = {
  nodes: [
    { id: 'input', type: 'inputNode' as const, position: { x: 0, y: 120 } },
    { id: 'output', type: 'outputNode' as const, position: { x: 760, y: 120 } },
  ],
  input_schema: { type: 'object', properties: { text: { type: 'string' } } },
}

const linkOf = ({ id }: Flow) => linkOptions({ to: '/flows/$id', params: { id } })

const columns: Column<Flow>[] = [
  {
    id: 'name',
    header: strings.columns.name,
    sort: 'title',
    width: '2fr',
    cell: ({ title, name }) => <span className="font-medium">{title || name}</span>,
  },
  {
    id: 'ref',
    header: strings.columns.reference,
    sort: 'name',
    wide: true,
    cell: ({ namespace, name }) => <code className="font-mono text-[12px] text-soft">{`${namespace}/${name}`}</code>,
  },
  {
    id: 'state',
    header: strings.columns.status,
    width: '170px',
    cell: (flow) => <PublishStatus flow={flow} />,
  },
  {
    id: 'time',
    header: strings.columns.updated,
    sort: 'updated_at',
    width: '100px',
    end: true,
    cell: ({ updated_at }) => <Ago time={updated_at} />,
  },
]

const FlowsPage = () => {
  const navigate = useNavigate()
  // Only `create=true` creates a flow; the router passes any other value through.
  const asked = useSearch({ from: '/flows' }).create === true
  const sorting = useSort('updated_at', 'desc')
  const change = useChangeAddress()
  const { q = '', state } = flowsAddress(useSearch({ strict: false }))
  const [term, setTerm] = useTerm(q)
  const list = useList('flows.list', {
    sort: [sorting.sort],
    filters: given([stateFilter(state)]),
    ...searchFor(q),
  })
  const open = (id: string, replace = false) => navigate({ to: '/flows/$id', params: { id }, replace })
  const create = useAct({
    work: async () => {
      const flow = await call('flows.create', { body: { title: strings.untitled } })
      // Replacing the graph leaves no history, so that Undo cannot remove the input and output node.
      await call('flows.replace', { path: { id: flow.id }, body: { title: flow.title, ...startGraph } })
      return flow
    },
    touches: ['flows'],
    after: ({ id }) => open(id, asked),
  })
  const { mutate } = create
  useEffect(() => {
    if (asked) mutate()
  }, [asked, mutate])
  const add = (
    <Button look="primary" busy={create.isPending} onClick={() => create.mutate()}>
      {strings.newFlow}
    </Button>
  )
  return (
    <Page
      title={strings.title}
      note={strings.note}
      actions={
        <>
          <TemplateButton />
          {add}
        </>
      }
    >
      <div className="mb-3 flex flex-wrap items-center gap-x-4 gap-y-1.5">
        <SearchField label={strings.search} className="sm:max-w-64" value={term} onChange={setTerm} />
        <ChoiceChips
          label={strings.columns.status}
          choices={states}
          chosen={state}
          onChoose={(next) => void change({ state: next })}
        />
      </div>
      <Panel flush>
        <Table
          label={strings.title}
          list={list}
          columns={columns}
          rowKey={({ id }) => id}
          {...sorting}
          linkOf={linkOf}
          empty={
            q !== '' || state !== undefined ? (
              <Empty
                icon={Workflow}
                title={uiStrings.noResults}
                action={<ButtonLink to="/flows">{strings.showAll}</ButtonLink>}
              />
            ) : (
              <Empty icon={Workflow} title={strings.emptyTitle} action={<TemplateButton />}>
                {strings.emptyText}
              </Empty>
            )
          }
        />
      </Panel>
    </Page>
  )
}

export default FlowsPage
