// One entry: its text, its versions with their changes, and its references.

import type { Visibility } from '@millrace/contract/common'
import { own } from '@millrace/contract/json'
import type { Knowledge } from '@millrace/contract/knowledge'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { Copy, Pencil } from 'lucide-react'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { read } from '../api/queries.ts'
import { useSession } from '../shell/session.tsx'
import { Transfer } from '../shell/transfer.tsx'
import { visibilityLabels, visibilityStrings } from '../shell/visibility.ts'
import { VisibilityField } from '../shell/visibility-field.tsx'
import { useAct, useRemoval } from '../ui/act.ts'
import { Button } from '../ui/button.tsx'
import { Id } from '../ui/copy.tsx'
import { ConfirmButton } from '../ui/dialog.tsx'
import { LazyMarkdown } from '../ui/lazy-markdown.tsx'
import { Page, Panel, ProblemNote, SkeletonRows } from '../ui/page.tsx'
import { Badge } from '../ui/status.tsx'
import { Tabs } from '../ui/tabs.tsx'
import { Ago } from '../ui/time.tsx'
import { sizeText } from '../ui/time-text.ts'
import { useTab } from '../ui/use-tab.ts'
import { EntryEditor } from './entry-editor.tsx'
import { EntryVersions } from './entry-versions.tsx'
import { kindNames } from './kinds.ts'
import { References } from './references.tsx'
import { strings } from './strings.ts'

const words = strings.entry

const frontMatter = /^---\n[\s\S]*?\n---\n/

const Text = ({ entry }: { entry: Knowledge }) => {
  const text = entry.version?.content.content
  if (text === undefined)
    return (
      <p className="text-soft">
        {words.tooLong}{' '}
        <a href={entry.version?.content.uri} className="text-accent underline">
          {words.openText}
        </a>
      </p>
    )
  return <LazyMarkdown text={text.replace(frontMatter, '')} />
}

const visibilities = ['private', 'team', 'unlisted', 'public'] as const
type ResourceVisibility = (typeof visibilities)[number]

const labelOf = (visibility: string): string => own(visibilityLabels, visibility) ?? visibility

const Facts = ({ entry }: { entry: Knowledge }) => {
  const { version } = entry
  const confirm = useAct({
    work: () => call('knowledge.confirm', { path: { id: entry.id } }),
    touches: ['knowledge'],
    done: words.confirmDone,
  })
  return (
    <Panel title={words.about}>
      <div className="flex flex-col gap-2">
        <p>{entry.description}</p>
        <p className="flex flex-wrap gap-1">
          {[...(version?.tags ?? []), ...(version?.scope ?? [])].map((tag) => (
            <Badge key={tag}>{tag}</Badge>
          ))}
        </p>
        <p className="text-soft">
          {words.counts(entry.uses, entry.installs)} · {labelOf(entry.visibility)}
        </p>
        {version?.source_url ? (
          <a
            href={version.source_url}
            target="_blank"
            rel="noreferrer noopener"
            className="truncate text-accent underline"
          >
            {version.source_url}
          </a>
        ) : null}
        {entry.lifecycle === 'decay' ? (
          <div className="flex items-center gap-2">
            <span className="text-soft">
              {words.confirmed} <Ago time={version?.last_confirmed_at} />
            </span>
            <Button busy={confirm.isPending} onClick={() => confirm.mutate()}>
              {words.confirm}
            </Button>
          </div>
        ) : null}
      </div>
    </Panel>
  )
}

const Files = ({ entry }: { entry: Knowledge }) => {
  const files = entry.version?.files ?? []
  if (files.length === 0) return null
  return (
    <Panel title={words.files}>
      <ul className="flex flex-col gap-1">
        {files.map(({ path = '', uri, size = 0 }) => (
          <li key={path} className="flex gap-2">
            <a href={uri} className="min-w-0 grow truncate text-accent hover:underline">
              {path}
            </a>
            <span className="figures text-faint">{sizeText(size)}</span>
          </li>
        ))}
      </ul>
    </Panel>
  )
}

/** The author or an administrator can change the visibility. */
const Sharing = ({ entry }: { entry: Knowledge }) => {
  const show = useAct({
    work: (visibility: ResourceVisibility) =>
      call('knowledge.set_visibility', { path: { id: entry.id }, body: { visibility } }),
    touches: ['knowledge'],
    done: ({ visibility }) => visibilityStrings.changed(visibility as Visibility),
  })
  return (
    <Panel title={words.sharing}>
      <VisibilityField
        value={entry.visibility as Visibility}
        choices={visibilities}
        disabled={show.isPending}
        onChoose={show.mutate}
      />
    </Panel>
  )
}

/** Creates a copy with the current text. */
const Duplicate = ({ entry }: { entry: Knowledge }) => {
  const navigate = useNavigate()
  const duplicate = useAct({
    work: () => call('knowledge.duplicate', { path: { id: entry.id } }),
    touches: ['knowledge'],
    done: ({ name }) => words.duplicated(name),
    after: ({ id }) => navigate({ to: '/knowledge/$id', params: { id } }),
  })
  return (
    <Button busy={duplicate.isPending} onClick={() => duplicate.mutate()}>
      <Copy aria-hidden /> {words.duplicate}
    </Button>
  )
}

const Remove = ({ entry }: { entry: Knowledge }) => {
  const navigate = useNavigate()
  const remove = useRemoval({
    work: () => call('knowledge.delete', { path: { id: entry.id } }),
    resource: 'knowledge',
    done: words.deleted,
    leave: () => navigate({ to: '/knowledge', search: {} }),
  })
  return (
    <ConfirmButton label={words.delete} title={words.deleteTitle(entry.name)} confirm={words.delete} act={remove}>
      {words.deleteText}
    </ConfirmButton>
  )
}

const Give = ({ entry }: { entry: Knowledge }) => {
  const navigate = useNavigate()
  return (
    <Transfer
      what={`${entry.namespace}/${entry.name}`}
      give={(team_id) => call('knowledge.transfer', { path: { id: entry.id }, body: { team_id } })}
      resource="knowledge"
      leave={() => navigate({ to: '/knowledge', search: {} })}
    >
      {words.transferText}
    </Transfer>
  )
}

const tabs = [words.tabs.text, words.tabs.versions, words.tabs.references] as const

const EntryPage = () => {
  const { id } = useParams({ from: '/knowledge/$id' })
  const { me, team, isAdmin } = useSession()
  const { data: entry, error } = useQuery(read('knowledge.get', { path: { id }, query: { include: 'content' } }))
  const [tab, setTab] = useTab(tabs)
  const [editing, setEditing] = useState(false)
  const trail = (
    <Link to="/knowledge" search={{}} className="hover:underline">
      {strings.title}
    </Link>
  )
  if (!entry)
    return (
      <Page title={words.title} trail={trail}>
        {error ? <ProblemNote error={error} /> : <SkeletonRows />}
      </Page>
    )
  const isOwn = entry.team_id === team.id
  return (
    <Page
      title={entry.title || entry.name}
      trail={trail}
      note={
        <span className="flex flex-wrap items-center gap-x-3">
          <Badge tone="accent">{kindNames[entry.type]}</Badge>
          <code className="font-mono text-[12px]">
            {entry.namespace}/{entry.name}
          </code>
          <Id id={entry.id} />
          <Ago time={entry.updated_at} />
        </span>
      }
      actions={
        editing ? null : (
          <>
            {isOwn ? (
              <Button onClick={() => setEditing(true)}>
                <Pencil aria-hidden /> {words.edit}
              </Button>
            ) : null}
            <Duplicate entry={entry} />
            {isOwn ? <Remove entry={entry} /> : null}
          </>
        )
      }
    >
      {editing ? (
        <EntryEditor entry={entry} onDone={() => setEditing(false)} />
      ) : (
        <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_300px]">
          <div className="min-w-0">
            <Tabs label={words.sections} tabs={tabs} value={tab} onChange={setTab} />
            {tab === words.tabs.text ? (
              <Panel>
                <Text entry={entry} />
              </Panel>
            ) : null}
            {tab === words.tabs.versions ? <EntryVersions entry={entry} mayChange={isOwn} /> : null}
            {tab === words.tabs.references ? <References id={entry.id} /> : null}
          </div>
          <div className="flex flex-col gap-4">
            <Facts entry={entry} />
            {isOwn && (isAdmin || entry.user_id === me.user.id) ? <Sharing entry={entry} /> : null}
            <Files entry={entry} />
            {isOwn ? <Give entry={entry} /> : null}
          </div>
        </div>
      )}
    </Page>
  )
}

export default EntryPage
