// Own and bundled apps as cards, with a search on the server.
import type { App } from '@millrace/contract/apps'
import { Link, useSearch } from '@tanstack/react-router'
import { AppWindow } from 'lucide-react'
import { useState } from 'react'
import { useList } from '../api/list.ts'
import { listAddress, searchFor } from '../api/list-address.ts'
import { useSession } from '../shell/session.tsx'
import { Button } from '../ui/button.tsx'
import { CodeBlock } from '../ui/code.tsx'
import { commandsFor } from '../ui/commands.ts'
import { Dialog } from '../ui/dialog.tsx'
import { Empty, Page, ProblemNote, Skeleton } from '../ui/page.tsx'
import { SearchField } from '../ui/search-field.tsx'
import { Badge } from '../ui/status.tsx'
import { uiStrings } from '../ui/strings.ts'
import { useTerm } from '../ui/use-list-address.ts'
import { strings } from './strings.ts'

const appsAddress = listAddress()

const AppCard = ({ app, own }: { app: App; own: boolean }) => (
  <Link
    to="/apps/$namespace/$name"
    params={{ namespace: app.namespace, name: app.name }}
    className="flex min-h-28 flex-col gap-1 rounded-lg border bg-surface p-3 transition-colors hover:border-line-strong hover:bg-hover"
  >
    <div className="flex items-start gap-2">
      <span className="min-w-0 grow truncate font-medium text-[14px]">{app.title || app.name}</span>
      {app.status === 'active' ? null : <Badge tone="warn">{strings.statuses[app.status]}</Badge>}
      {own ? <Badge tone="accent">{strings.own}</Badge> : null}
    </div>
    <code className="truncate font-mono text-[12px] text-faint">
      {app.namespace}/{app.name}
    </code>
    <p className="line-clamp-2 text-soft">{app.description || strings.noDescription}</p>
  </Link>
)

const installingMs = 15_000

/** A new server installs the bundled apps one after the other while it starts, so the list is reloaded until they are there. */
const areBeingInstalled = (items: readonly unknown[]): boolean =>
  items.length === 0 || (items as App[]).some(({ created_at }) => Date.now() - Date.parse(created_at) < installingMs)

export const NewAppButton = () => {
  const [open, setOpen] = useState(false)
  return (
    <>
      <Button onClick={() => setOpen(true)}>{strings.create.button}</Button>
      <Dialog open={open} onClose={() => setOpen(false)} title={strings.create.title}>
        <div className="flex flex-col gap-3">
          <p className="text-soft">{strings.create.intro}</p>
          <CodeBlock text={commandsFor(location.origin).createApp} label={strings.create.commands} />
          <p className="text-soft">{strings.create.result}</p>
        </div>
      </Dialog>
    </>
  )
}

const AppsPage = () => {
  const { team } = useSession()
  const { q = '' } = appsAddress(useSearch({ strict: false }))
  const [term, setTerm] = useTerm(q)
  const query = q.trim()
  const list = useList(
    'apps.list',
    {
      include_others: true,
      sort: [{ field: 'name', dir: 'asc' }],
      ...searchFor(query),
    },
    query === '' ? { expectsMore: areBeingInstalled } : {},
  )
  return (
    <Page title={strings.title} note={strings.note} actions={<NewAppButton />}>
      <SearchField label={strings.search} className="mb-3 max-w-sm" value={term} onChange={setTerm} />
      {list.error ? <ProblemNote error={list.error} retry={list.refetch} /> : null}
      <div className="grid grid-cols-1 gap-3 sm:grid-cols-2 xl:grid-cols-3">
        {list.isLoading ? ['a', 'b', 'c', 'd', 'e', 'f'].map((key) => <Skeleton key={key} className="h-28" />) : null}
        {list.items.map((app) => (
          <AppCard key={app.id} app={app} own={app.team_id === team.id} />
        ))}
      </div>
      {!list.isLoading && !list.error && list.items.length === 0 ? (
        <Empty
          icon={AppWindow}
          title={query === '' ? strings.emptyTitle : strings.noMatch(query)}
          action={<NewAppButton />}
        >
          {query === '' ? strings.emptyText : strings.noMatchText}
        </Empty>
      ) : null}
      {list.more ? (
        <div className="mt-4 text-center">
          <Button onClick={list.more}>{uiStrings.showMore}</Button>
        </div>
      ) : null}
    </Page>
  )
}

export default AppsPage
