// One agent: its configuration next to a test chat, its versions, rules and settings.
import type { Agent, AgentConfig, AgentVersion } from '@millrace/contract/agents'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { Copy } from 'lucide-react'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { useList } from '../api/list.ts'
import { read } from '../api/queries.ts'
import { useSession } from '../shell/session.tsx'
import { Transfer } from '../shell/transfer.tsx'
import { visibilityStrings } from '../shell/visibility.ts'
import { VisibilityField } from '../shell/visibility-field.tsx'
import { useAct, useRemoval } from '../ui/act.ts'
import { Button } from '../ui/button.tsx'
import { Id } from '../ui/copy.tsx'
import { ConfirmButton } from '../ui/dialog.tsx'
import { Empty, Page, Panel, ProblemNote, SkeletonRows } from '../ui/page.tsx'
import { Badge } from '../ui/status.tsx'
import { uiStrings } from '../ui/strings.ts'
import { type Column, Table } from '../ui/table.tsx'
import { Tabs } from '../ui/tabs.tsx'
import { Ago } from '../ui/time.tsx'
import { useTab } from '../ui/use-tab.ts'
import { agentVisibilities } from './address.ts'
import { AgentEditor } from './agent-editor.tsx'
import { AgentRules } from './agent-rules.tsx'
import { strings } from './strings.ts'
import { TestChat } from './test-chat.tsx'

const Versions = ({ agent, mayChange }: { agent: Agent; mayChange: boolean }) => {
  const list = useList('agents.versions', {}, { path: { id: agent.id } })
  const promote = useAct({
    work: (versionId: string) => call('agents.promote', { path: { id: agent.id, versionId } }),
    touches: ['agents'],
    done: strings.versions.madeCurrent,
  })
  const columns: Column<AgentVersion>[] = [
    {
      id: 'id',
      header: uiStrings.version,
      width: '180px',
      cell: ({ id }) => (
        <span className="flex items-center gap-2">
          <Id id={id} />
          {id === agent.version_id ? <Badge tone="ok">{strings.versions.current}</Badge> : null}
        </span>
      ),
    },
    {
      id: 'prompt',
      header: strings.versions.instructions,
      width: '3fr',
      cell: ({ system_prompt }) => <span className="text-soft">{system_prompt}</span>,
    },
    { id: 'tools', header: strings.versions.tools, width: '70px', wide: true, cell: ({ tools }) => tools.length },
    {
      id: 'time',
      header: uiStrings.created,
      width: '90px',
      wide: true,
      cell: ({ created_at }) => <Ago time={created_at} />,
    },
    {
      id: 'act',
      header: '',
      width: '110px',
      end: true,
      cell: ({ id }) =>
        mayChange && id !== agent.version_id ? (
          <Button className="h-7" onClick={() => promote.mutate(id)}>
            {strings.versions.makeCurrent}
          </Button>
        ) : null,
    },
  ]
  return (
    <Panel flush>
      <Table
        label={uiStrings.versions}
        list={list}
        columns={columns}
        rowKey={({ id }) => id}
        empty={<Empty title={strings.versions.emptyTitle}>{strings.versions.emptyText}</Empty>}
      />
    </Panel>
  )
}

const Settings = ({ agent }: { agent: Agent }) => {
  const navigate = useNavigate()
  const setVisibility = useAct({
    work: (visibility: (typeof agentVisibilities)[number]) =>
      call('agents.set_visibility', { path: { id: agent.id }, body: { visibility } }),
    touches: ['agents'],
    done: ({ visibility }) => visibilityStrings.changed(visibility),
  })
  const remove = useRemoval({
    work: () => call('agents.delete', { path: { id: agent.id } }),
    resource: 'agents',
    done: uiStrings.deletedThing(agent.title || agent.name),
    leave: () => navigate({ to: '/agents' }),
  })
  return (
    <div className="flex max-w-xl flex-col gap-4">
      <Panel title={strings.settings.title}>
        <div className="flex flex-col gap-4">
          <VisibilityField
            value={agent.visibility}
            choices={agentVisibilities}
            disabled={setVisibility.isPending}
            onChoose={setVisibility.mutate}
          />
          <div>
            <ConfirmButton
              label={strings.settings.delete}
              title={uiStrings.deleteTitle(agent.title || agent.name)}
              confirm={strings.settings.delete}
              act={remove}
            >
              {strings.settings.deleteText}
            </ConfirmButton>
          </div>
        </div>
      </Panel>
      <Transfer
        what={`${agent.namespace}/${agent.name}`}
        give={(team_id) => call('agents.transfer', { path: { id: agent.id }, body: { team_id } })}
        resource="agents"
        leave={() => navigate({ to: '/agents' })}
      >
        {strings.settings.transferText}
      </Transfer>
    </div>
  )
}

/** Copies the current version into an agent of this workspace. */
const Duplicate = ({ agent }: { agent: Agent }) => {
  const navigate = useNavigate()
  const duplicate = useAct({
    work: () => call('agents.duplicate', { path: { id: agent.id } }),
    touches: ['agents'],
    done: ({ name }) => strings.page.duplicated(name),
    after: ({ id }) => navigate({ to: '/agents/$id', params: { id } }),
  })
  return (
    <Button busy={duplicate.isPending} onClick={() => duplicate.mutate()}>
      <Copy aria-hidden /> {strings.page.duplicate}
    </Button>
  )
}

const tabs = ['Configuration', 'Versions', 'Rules', 'Settings'] as const
/** The tabs of an agent of another workspace. */
const readOnlyTabs = ['Configuration', 'Versions'] as const

const AgentPage = () => {
  const { id } = useParams({ from: '/agents/$id' })
  const { team } = useSession()
  const { data: agent, error } = useQuery({ ...read('agents.get', { path: { id } }), refetchOnWindowFocus: 'always' })
  const isOwn = agent?.team_id === team.id
  const shown = isOwn ? tabs : readOnlyTabs
  const [tab, setTab] = useTab<(typeof tabs)[number]>(shown)
  const [unsaved, setUnsaved] = useState<AgentConfig>()
  const trail = (
    <Link to="/agents" className="hover:underline">
      {strings.title}
    </Link>
  )
  if (!agent)
    return (
      <Page title={strings.page.agent} trail={trail}>
        {error ? <ProblemNote error={error} /> : <SkeletonRows />}
      </Page>
    )
  return (
    <Page
      full
      title={agent.title || agent.name}
      trail={trail}
      note={
        <span className="flex flex-wrap items-center gap-x-3">
          <code className="font-mono text-[12px]">
            {agent.namespace}/{agent.name}
          </code>
          <Id id={agent.id} />
          <Ago time={agent.updated_at} />
        </span>
      }
      actions={<Duplicate agent={agent} />}
    >
      <div className="grid min-h-0 grow grid-cols-[minmax(0,1fr)] border-t max-lg:overflow-y-auto lg:grid-cols-[minmax(0,1fr)_minmax(380px,0.9fr)]">
        <div className="px-4 pt-2 pb-8 md:px-6 lg:min-h-0 lg:overflow-y-auto">
          <Tabs label={strings.page.sections} tabs={shown} value={tab} onChange={setTab} />
          {tab === 'Configuration' ? (
            <AgentEditor key={agent.id} agent={agent} mayChange={isOwn} onUnsaved={setUnsaved} />
          ) : null}
          {tab === 'Versions' ? <Versions agent={agent} mayChange={isOwn} /> : null}
          {tab === 'Rules' ? <AgentRules agent={agent} mayChange={isOwn} /> : null}
          {tab === 'Settings' ? <Settings agent={agent} /> : null}
        </div>
        <TestChat key={agent.id} agent={agent} unsaved={unsaved} />
      </div>
    </Page>
  )
}

export default AgentPage
