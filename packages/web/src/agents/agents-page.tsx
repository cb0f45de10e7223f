// The agents of the workspace as cards, and the dialog that creates one.
import type { Agent } from '@millrace/contract/agents'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { Bot } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { eqFilter, given } from '../api/address-filters.ts'
import { call } from '../api/call.ts'
import { useList } from '../api/list.ts'
import { searchFor } from '../api/list-address.ts'
import { useSession } from '../shell/session.tsx'
import { visibilityStrings } from '../shell/visibility.ts'
import { useAct } from '../ui/act.ts'
import { Button, ButtonLink } from '../ui/button.tsx'
import { ChoiceChips } from '../ui/choice-chips.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { AreaField, TextField } from '../ui/field.tsx'
import { Form } from '../ui/form.tsx'
import { Empty, Page, ProblemNote, Skeleton } from '../ui/page.tsx'
import { SearchField } from '../ui/search-field.tsx'
import { Badge } from '../ui/status.tsx'
import { uiStrings } from '../ui/strings.ts'
import { Ago } from '../ui/time.tsx'
import { useChangeAddress, useTerm } from '../ui/use-list-address.ts'
import { agentsAddress, agentVisibilityLabels } from './address.ts'
import { ModelPicker, useFirstModel } from './pickers.tsx'
import { strings } from './strings.ts'

const words = strings.create

const nameOf = (title: string): string =>
  title
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 64)

const NewAgent = ({ onDone }: { onDone: () => void }) => {
  const navigate = useNavigate()
  const { team } = useSession()
  const first = useFirstModel()
  const [title, setTitle] = useState('')
  const [prompt, setPrompt] = useState('')
  const [chosen, setChosen] = useState('')
  const model = chosen || first
  const create = useAct({
    work: () =>
      call('agents.create', {
        body: {
          name: nameOf(title),
          title,
          version: { system_prompt: prompt, core_app: { ref: model } },
        },
      }),
    touches: ['agents'],
    quiet: true,
    after: ({ id }) => {
      onDone()
      return navigate({ to: '/agents/$id', params: { id } })
    },
  })
  return (
    <Form act={create} submit={words.submit} disabled={nameOf(title) === '' || model === ''}>
      <TextField
        label={uiStrings.name}
        required
        autoFocus
        placeholder={words.example}
        help={title === '' ? undefined : words.reference(`${team.username}/${nameOf(title)}`)}
        value={title}
        onChange={(event) => setTitle(event.target.value)}
      />
      <ModelPicker
        label={words.model}
        value={model}
        help={model === '' ? words.installing : undefined}
        onChoose={setChosen}
      />
      <AreaField
        label={words.instructions}
        placeholder={words.instructionsExample}
        value={prompt}
        onChange={(event) => setPrompt(event.target.value)}
      />
    </Form>
  )
}

const AgentCard = ({ agent }: { agent: Agent }) => (
  <Link
    to="/agents/$id"
    params={{ id: agent.id }}
    className="flex min-h-24 flex-col gap-1 rounded-lg border bg-surface p-3 transition-colors hover:border-line-strong hover:bg-hover"
  >
    <div className="flex items-start gap-2">
      <Bot className="mt-0.5 size-4 text-faint" aria-hidden />
      <span className="min-w-0 grow truncate font-medium text-[14px]">{agent.title || agent.name}</span>
      {agent.visibility === 'private' ? <Badge>{agentVisibilityLabels.private}</Badge> : null}
    </div>
    <span className="flex gap-2 text-[12px] text-faint">
      <code className="min-w-0 grow truncate font-mono">
        {agent.namespace}/{agent.name}
      </code>
      <Ago time={agent.updated_at} />
    </span>
    <p className="line-clamp-2 text-soft">{agent.version?.description || agent.version?.system_prompt || ''}</p>
  </Link>
)

const NoAgents = ({ isFiltered, add }: { isFiltered: boolean; add: ReactNode }) =>
  isFiltered ? (
    <Empty icon={Bot} title={strings.noMatch} action={<ButtonLink to="/agents">{strings.showAll}</ButtonLink>} />
  ) : (
    <Empty icon={Bot} title={strings.emptyTitle} action={add}>
      {strings.emptyText}
    </Empty>
  )

const AgentsPage = () => {
  const change = useChangeAddress()
  const { q = '', visibility } = agentsAddress(useSearch({ from: '/agents' }))
  const [term, setTerm] = useTerm(q)
  const [creating, setCreating] = useState(false)
  const list = useList('agents.list', {
    sort: [{ field: 'updated_at', dir: 'desc' }],
    preloads: ['version'],
    filters: given([eqFilter('visibility', visibility)]),
    ...searchFor(q),
  })
  const add = (
    <Button look="primary" onClick={() => setCreating(true)}>
      {strings.newAgent}
    </Button>
  )
  const isFiltered = q !== '' || visibility !== undefined
  return (
    <Page title={strings.title} note={strings.note} actions={add}>
      <div className="mb-3 flex flex-wrap items-center gap-x-4 gap-y-1.5">
        <SearchField label={strings.search} className="sm:max-w-64" value={term} onChange={setTerm} />
        <ChoiceChips
          label={visibilityStrings.label}
          choices={agentVisibilityLabels}
          chosen={visibility}
          onChoose={(next) => void change({ visibility: next })}
        />
      </div>
      {list.error ? <ProblemNote error={list.error} retry={list.refetch} /> : null}
      <div className="grid grid-cols-1 gap-3 sm:grid-cols-2 xl:grid-cols-3">
        {list.isLoading ? ['a', 'b', 'c'].map((key) => <Skeleton key={key} className="h-24" />) : null}
        {list.items.map((agent) => (
          <AgentCard key={agent.id} agent={agent} />
        ))}
      </div>
      {!list.isLoading && !list.error && list.items.length === 0 ? (
        <NoAgents isFiltered={isFiltered} add={add} />
      ) : null}
      {list.more ? (
        <div className="mt-4 text-center">
          <Button onClick={list.more}>{uiStrings.showMore}</Button>
        </div>
      ) : null}
      <Dialog open={creating} onClose={() => setCreating(false)} title={strings.newAgent}>
        <NewAgent onDone={() => setCreating(false)} />
      </Dialog>
    </Page>
  )
}

export default AgentsPage
