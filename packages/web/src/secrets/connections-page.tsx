// Connections to other services: available and connected ones.
import type { ProviderConfig } from '@millrace/contract/credentials'
import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { Plug } from 'lucide-react'
import { type CSSProperties, useState } from 'react'
import { call } from '../api/call.ts'
import { wordsIn } from '../api/list-address.ts'
import { read } from '../api/queries.ts'
import { useSession } from '../shell/session.tsx'
import { useAct } from '../ui/act.ts'
import { Button, ButtonLink } from '../ui/button.tsx'
import { ConfirmButton, Dialog } from '../ui/dialog.tsx'
import { Empty, Page, ProblemNote, Skeleton } from '../ui/page.tsx'
import { SearchField } from '../ui/search-field.tsx'
import { Badge } from '../ui/status.tsx'
import { useTerm } from '../ui/use-list-address.ts'
import { ConnectForm } from './connect-form.tsx'
import { mayDisconnect } from './may-disconnect.ts'
import { hueOf, initialsOf, localIcon } from './monogram.ts'
import { useRefreshOnReturn } from './service-window.ts'

const Mark = ({ config: { slug, name, short_name, icon_url } }: { config: ProviderConfig }) => {
  const [isBroken, setBroken] = useState(false)
  const icon = localIcon(icon_url, location.origin)
  if (icon !== null && !isBroken)
    return (
      <img
        src={icon}
        alt=""
        width={32}
        height={32}
        className="size-8 shrink-0 rounded-md object-contain"
        onError={() => setBroken(true)}
      />
    )
  return (
    <span
      aria-hidden
      className="monogram flex size-8 shrink-0 items-center justify-center rounded-md font-semibold"
      style={{ '--hue': hueOf(slug) } as CSSProperties}
    >
      {initialsOf(short_name || name)}
    </span>
  )
}

const statusTone = { connected: 'ok', error: 'bad', expired: 'warn', pending: 'warn', disconnected: undefined } as const

const Card = ({ config, onConnect }: { config: ProviderConfig; onConnect: () => void }) => {
  const { credential } = config
  const session = useSession()
  const isHeld = credential !== undefined && credential.status !== 'disconnected'
  const disconnect = useAct({
    work: () => call('credentials.disconnect', { path: { provider: config.slug } }),
    touches: ['credentials'],
    done: `${config.name} is disconnected`,
  })
  const tone = credential ? statusTone[credential.status] : undefined
  return (
    <li className="flex flex-col gap-2 rounded-lg border bg-surface p-3">
      <div className="flex items-center gap-2">
        <Mark config={config} />
        <div className="min-w-0 grow">
          <p className="truncate font-medium">{config.name}</p>
          <p className="truncate text-[12px] text-faint">{credential?.account_name || config.type.replace('_', ' ')}</p>
        </div>
        {isHeld ? <Badge {...(tone ? { tone } : {})}>{credential.status}</Badge> : null}
      </div>
      <p className="line-clamp-2 grow text-soft">{credential?.error_message || config.description}</p>
      <div className="flex gap-2">
        {/* Unfinished, expired and broken connections can be connected again. */}
        {credential?.status === 'connected' ? null : <Button onClick={onConnect}>Connect</Button>}
        {isHeld && mayDisconnect(credential, session) ? (
          <ConfirmButton
            label="Disconnect"
            title={`Disconnect ${config.name}?`}
            confirm="Disconnect"
            act={() => disconnect.mutateAsync()}
          >
            The stored connection is deleted. Apps that need it stop working until it is connected again.
          </ConfirmButton>
        ) : null}
      </div>
    </li>
  )
}

const matches = ({ name, description, slug }: ProviderConfig, term: string): boolean =>
  `${name} ${description} ${slug}`.toLowerCase().includes(term.toLowerCase())

const ConnectionsPage = () => {
  const configs = useQuery(read('credentials.configs'))
  const [term, setTerm] = useTerm(wordsIn(useSearch({ from: '/connections' })).q)
  const [chosen, setChosen] = useState<ProviderConfig | null>(null)
  useRefreshOnReturn(['credentials'])
  const shown = (configs.data ?? []).filter((config) => matches(config, term))
  const sorted = shown.toSorted((a, b) => Number(b.credential !== undefined) - Number(a.credential !== undefined))
  return (
    <Page title="Connections" note="Services that apps and agents use on your behalf or the workspace’s.">
      <SearchField label="Search services" className="mb-3 max-w-sm" value={term} onChange={setTerm} />
      {configs.error ? <ProblemNote error={configs.error} retry={() => void configs.refetch()} /> : null}
      <ul className="grid grid-cols-1 gap-3 sm:grid-cols-2 lg:grid-cols-3">
        {configs.isPending ? ['a', 'b', 'c'].map((key) => <Skeleton key={key} className="h-32" />) : null}
        {sorted.map((config) => (
          <Card key={`${config.slug} ${config.type}`} config={config} onConnect={() => setChosen(config)} />
        ))}
      </ul>
      {configs.data && sorted.length === 0 ? (
        <Empty
          icon={Plug}
          title={`No results for “${term}”`}
          action={<ButtonLink to="/secrets">Open secrets</ButtonLink>}
        >
          Use a secret for any other service.
        </Empty>
      ) : null}
      <Dialog open={chosen !== null} onClose={() => setChosen(null)} title={`Connect ${chosen?.name ?? ''}`}>
        {chosen ? <ConnectForm config={chosen} onDone={() => setChosen(null)} /> : null}
      </Dialog>
    </Page>
  )
}

export default ConnectionsPage
