// MCP tool servers: the workspace's own, and the public directory.
import { Link, useSearch } from '@tanstack/react-router'
import { Wrench } from 'lucide-react'
import { useList } from '../api/list.ts'
import { searchFor, wordsIn } from '../api/list-address.ts'
import { useSession } from '../shell/session.tsx'
import { Button, ButtonLink } from '../ui/button.tsx'
import { Empty, Page, Panel, ProblemNote, Skeleton } from '../ui/page.tsx'
import { SearchField } from '../ui/search-field.tsx'
import { Badge } from '../ui/status.tsx'
import { useTerm } from '../ui/use-list-address.ts'
import { NewServer } from './new-server.tsx'

type ServerSummary = {
  slug: string
  name: string
  title: string
  description: string
  category?: string
  connection_status?: 'connected' | 'disconnected' | 'expired' | 'error'
}

const tones = { connected: 'ok', expired: 'warn', error: 'bad' } as const

const Card = ({ server }: { server: ServerSummary }) => {
  const { connection_status: status } = server
  const tone = status === undefined || status === 'disconnected' ? undefined : tones[status]
  return (
    <li>
      <Link
        to="/tool-servers/$slug"
        params={{ slug: server.slug }}
        className="flex h-full min-h-24 flex-col gap-1 rounded-lg border bg-surface p-3 hover:border-line-strong hover:bg-hover"
      >
        <span className="flex items-start gap-2">
          <span className="min-w-0 grow truncate font-medium text-[14px]">{server.title || server.name}</span>
          {status ? <Badge {...(tone ? { tone } : {})}>{status}</Badge> : null}
          {server.category ? <Badge>{server.category}</Badge> : null}
        </span>
        <span className="line-clamp-2 text-soft">{server.description || 'No description'}</span>
      </Link>
    </li>
  )
}

const grid = 'grid grid-cols-1 gap-3 sm:grid-cols-2 xl:grid-cols-3'

const OwnServers = () => {
  const list = useList('mcp_servers.list', { sort: [{ field: 'name', dir: 'asc' }] })
  if (list.error) return <ProblemNote error={list.error} retry={list.refetch} />
  if (list.items.length === 0) return null
  return (
    <section aria-label="Your servers" className="mb-6">
      <h2 className="mb-2 font-semibold text-[14px]">Your servers</h2>
      <ul className={grid}>
        {list.items.map((server) => (
          <Card key={server.id} server={server} />
        ))}
      </ul>
    </section>
  )
}

const ToolServersPage = () => {
  const { isAdmin } = useSession()
  const { q } = wordsIn(useSearch({ from: '/tool-servers' }))
  const [term, setTerm] = useTerm(q)
  const list = useList('mcps.list', searchFor(q))
  const add = isAdmin ? <NewServer /> : null
  return (
    <Page
      title="Tool servers"
      note="Servers that speak the Model Context Protocol; agents use their tools."
      actions={add}
    >
      <OwnServers />
      <h2 className="mb-2 font-semibold text-[14px]">Directory</h2>
      <SearchField label="Search the directory" className="mb-3 max-w-sm" value={term} onChange={setTerm} />
      {list.error ? <ProblemNote error={list.error} retry={list.refetch} /> : null}
      <ul className={grid}>
        {list.isLoading ? ['a', 'b', 'c'].map((key) => <Skeleton key={key} className="h-24" />) : null}
        {list.items.map((server) => (
          <Card key={server.id} server={server} />
        ))}
      </ul>
      {!list.isLoading && !list.error && list.items.length === 0 ? (
        <Panel>
          <Empty
            icon={Wrench}
            title={q === undefined ? 'The directory is empty' : `No results for “${q}”`}
            action={q === undefined ? add : <ButtonLink to="/tool-servers">Show all</ButtonLink>}
          >
            Any server can be added by its address.
          </Empty>
        </Panel>
      ) : null}
      {list.more ? (
        <div className="mt-4 text-center">
          <Button onClick={list.more}>Show more</Button>
        </div>
      ) : null}
    </Page>
  )
}

export default ToolServersPage
