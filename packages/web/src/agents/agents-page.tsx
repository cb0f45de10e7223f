// Agents of the workspace as cards, and a new one from a name and a model.
import type { Agent } from '@millrace/contract/agents'
import { Link, useNavigate } from '@tanstack/react-router'
import { Bot } from 'lucide-react'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { useList } from '../api/list.ts'
import { useAct } from '../ui/act.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { AreaField, SelectField, TextField } from '../ui/field.tsx'
import { Form } from '../ui/form.tsx'
import { Empty, Page, ProblemNote, Skeleton } from '../ui/page.tsx'
import { Badge } from '../ui/status.tsx'
import { useModelApps } from './agent-editor.tsx'

const nameOf = (title: string): string =>
  title
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 64)

const NewAgent = ({ onDone }: { onDone: () => void }) => {
  const navigate = useNavigate()
  const models = useModelApps()
  const [title, setTitle] = useState('')
  const [prompt, setPrompt] = useState('')
  const [chosen, setChosen] = useState('')
  const first = models.items[0]
  const model = chosen || (first ? `${first.namespace}/${first.name}` : '')
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
    <Form act={create} submit="Create the agent" disabled={nameOf(title) === '' || model === ''}>
      <TextField
        label="Name"
        required
        autoFocus
        placeholder="Miller"
        help={title === '' ? undefined : `Called as ${nameOf(title)}`}
        value={title}
        onChange={(event) => setTitle(event.target.value)}
      />
      <SelectField
        label="Model app"
        required
        value={model}
        help={model === '' ? 'Those that come along are being installed' : undefined}
        onChange={(event) => setChosen(event.target.value)}
      >
        {models.items.map(({ id, namespace, name, title: appTitle }) => (
          <option key={id} value={`${namespace}/${name}`}>
            {appTitle || name}
          </option>
        ))}
      </SelectField>
      <AreaField
        label="What it is to do"
        placeholder="You help people choose flour. Be brief."
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
      {agent.visibility === 'private' ? <Badge>private</Badge> : null}
    </div>
    <code className="truncate font-mono text-[12px] text-faint">
      {agent.namespace}/{agent.name}
    </code>
    <p className="line-clamp-2 text-soft">{agent.version?.description || agent.version?.system_prompt || ''}</p>
  </Link>
)

const AgentsPage = () => {
  const [creating, setCreating] = useState(false)
  const list = useList('agents.list', { sort: [{ field: 'updated_at', dir: 'desc' }], preloads: ['version'] })
  const add = (
    <Button look="primary" onClick={() => setCreating(true)}>
      New agent
    </Button>
  )
  return (
    <Page
      title="Agents"
      note="A model with instructions and tools, which asks before it does what matters."
      actions={add}
    >
      {list.error ? <ProblemNote error={list.error} retry={list.refetch} /> : null}
      <div className="grid grid-cols-1 gap-3 sm:grid-cols-2 xl:grid-cols-3">
        {list.isLoading ? ['a', 'b', 'c'].map((key) => <Skeleton key={key} className="h-24" />) : null}
        {list.items.map((agent) => (
          <AgentCard key={agent.id} agent={agent} />
        ))}
      </div>
      {!list.isLoading && !list.error && list.items.length === 0 ? (
        <Empty icon={Bot} title="No agents yet" action={add}>
          Give one a model, instructions and the tools it may use; then talk to it here or from your code.
        </Empty>
      ) : null}
      {list.more ? (
        <div className="mt-4 text-center">
          <Button onClick={list.more}>Show more</Button>
        </div>
      ) : null}
      <Dialog open={creating} onClose={() => setCreating(false)} title="New agent">
        <NewAgent onDone={() => setCreating(false)} />
      </Dialog>
    </Page>
  )
}

export default AgentsPage
