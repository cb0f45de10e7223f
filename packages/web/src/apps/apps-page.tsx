// Own and shipped apps as cards; the search asks the server.
import type { App } from '@millrace/contract/apps'
import { Link, useSearch } from '@tanstack/react-router'
import { AppWindow } from 'lucide-react'
import { useState } from 'react'
import { useList } from '../api/list.ts'
import { listAddress, searchFor } from '../api/list-address.ts'
import { useSession } from '../shell/session.tsx'
import { Button } from '../ui/button.tsx'
import { CodeBlock } from '../ui/code.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Empty, Page, ProblemNote, Skeleton } from '../ui/page.tsx'
import { SearchField } from '../ui/search-field.tsx'
import { Badge } from '../ui/status.tsx'
import { useTerm } from '../ui/use-list-address.ts'

const appsAddress = listAddress()

const AppCard = ({ app, own }: { app: App; own: boolean }) => (
  <Link
    to="/apps/$namespace/$name"
    params={{ namespace: app.namespace, name: app.name }}
    className="flex min-h-28 flex-col gap-1 rounded-lg border bg-surface p-3 transition-colors hover:border-line-strong hover:bg-hover"
  >
    <div className="flex items-start gap-2">
      <span className="min-w-0 grow truncate font-medium text-[14px]">{app.title || app.name}</span>
      {app.status === 'active' ? null : <Badge tone="warn">{app.status}</Badge>}
      {own ? <Badge tone="accent">yours</Badge> : null}
    </div>
    <code className="truncate font-mono text-[12px] text-faint">
      {app.namespace}/{app.name}
    </code>
    <p className="line-clamp-2 text-soft">{app.description || 'No description'}</p>
  </Link>
)

const installingMs = 15_000

/** The apps that come along are installed one after the other while the server of a fresh clone starts. */
const areBeingInstalled = (items: readonly unknown[]): boolean =>
  items.length === 0 || (items as App[]).some(({ created_at }) => Date.now() - Date.parse(created_at) < installingMs)

const newAppSteps = `npx millrace login
npx millrace app init my-app
npx millrace deploy my-app`

export const NewAppButton = () => {
  const [open, setOpen] = useState(false)
  return (
    <>
      <Button onClick={() => setOpen(true)}>New app</Button>
      <Dialog open={open} onClose={() => setOpen(false)} title="An app of your own">
        <div className="flex flex-col gap-3">
          <p className="text-soft">
            An app is a folder with Node or Python code. The command line makes one, and deploys it to this workspace:
          </p>
          <CodeBlock text={newAppSteps} label="Commands" />
          <p className="text-soft">It appears here as soon as the first version is deployed.</p>
        </div>
      </Dialog>
    </>
  )
}

const AppsPage = () => {
  const { team } = useSession()
  const { q = '' } = appsAddress(useSearch({ strict: false }))
  const [term, setTerm] = useTerm(q)
  const asked = q.trim()
  const list = useList(
    'apps.list',
    {
      include_others: true,
      sort: [{ field: 'name', dir: 'asc' }],
      ...searchFor(asked),
    },
    asked === '' ? { expectsMore: areBeingInstalled } : {},
  )
  return (
    <Page
      title="Apps"
      note="Each run of an app is a task: try one here, or call it from your code."
      actions={<NewAppButton />}
    >
      <SearchField label="Search apps" className="mb-3 max-w-sm" value={term} onChange={setTerm} />
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
          title={asked === '' ? 'No apps yet' : `No app matches “${asked}”`}
          action={<NewAppButton />}
        >
          {asked === ''
            ? 'Those that come along appear here within seconds of the first start.'
            : 'Try another word, or make the app yourself.'}
        </Empty>
      ) : null}
      {list.more ? (
        <div className="mt-4 text-center">
          <Button onClick={list.more}>Show more</Button>
        </div>
      ) : null}
    </Page>
  )
}

export default AppsPage
