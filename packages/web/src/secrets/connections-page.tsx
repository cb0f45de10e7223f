// Connections to other services: what can be connected, and what is.
import type { ProviderConfig } from '@millrace/contract/credentials'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Plug, Search } from 'lucide-react'
import { useEffect, useState } from 'react'
import { call } from '../api/call.ts'
import { read } from '../api/queries.ts'
import { useAct } from '../ui/act.ts'
import { Button } from '../ui/button.tsx'
import { classes } from '../ui/classes.ts'
import { ConfirmButton, Dialog } from '../ui/dialog.tsx'
import { inputLook } from '../ui/field.tsx'
import { Empty, Page, ProblemNote, Skeleton } from '../ui/page.tsx'
import { Badge } from '../ui/status.tsx'
import { ConnectForm } from './connect-form.tsx'

const Mark = ({ name }: { name: string }) => (
  <span
    aria-hidden
    className="flex size-8 shrink-0 items-center justify-center rounded-md bg-hover font-semibold text-soft"
  >
    {name.slice(0, 1)}
  </span>
)

const statusTone = { connected: 'ok', error: 'bad', expired: 'warn', pending: 'warn', disconnected: undefined } as const

const Card = ({ config, onConnect }: { config: ProviderConfig; onConnect: () => void }) => {
  const { credential } = config
  const connected = credential !== undefined && credential.status !== 'disconnected'
  const disconnect = useAct({
    work: () => call('credentials.disconnect', { path: { provider: config.slug } }),
    touches: ['credentials'],
    done: `${config.name} is disconnected`,
  })
  const tone = credential ? statusTone[credential.status] : undefined
  return (
    <li className="flex flex-col gap-2 rounded-lg border bg-surface p-3">
      <div className="flex items-center gap-2">
        <Mark name={config.short_name || config.name} />
        <div className="min-w-0 grow">
          <p className="truncate font-medium">{config.name}</p>
          <p className="truncate text-[12px] text-faint">{credential?.account_name || config.type.replace('_', ' ')}</p>
        </div>
        {connected && credential ? <Badge {...(tone ? { tone } : {})}>{credential.status}</Badge> : null}
      </div>
      <p className="line-clamp-2 grow text-soft">{credential?.error_message || config.description}</p>
      <div className="flex gap-2">
        {connected ? (
          <ConfirmButton
            label="Disconnect"
            title={`Disconnect ${config.name}?`}
            confirm="Disconnect"
            act={() => disconnect.mutateAsync()}
          >
            What is stored of the connection is deleted. Apps that need it stop working until it is connected again.
          </ConfirmButton>
        ) : (
          <Button onClick={onConnect}>Connect</Button>
        )}
      </div>
    </li>
  )
}

const matches = ({ name, description, slug }: ProviderConfig, term: string): boolean =>
  `${name} ${description} ${slug}`.toLowerCase().includes(term.toLowerCase())

const ConnectionsPage = () => {
  const client = useQueryClient()
  const configs = useQuery(read('credentials.configs'))
  const [term, setTerm] = useState('')
  const [chosen, setChosen] = useState<ProviderConfig | null>(null)
  // The window of a service tells its opener when it is done.
  useEffect(() => {
    const onFocus = () => void client.invalidateQueries({ queryKey: ['credentials'] })
    window.addEventListener('focus', onFocus)
    return () => window.removeEventListener('focus', onFocus)
  }, [client])
  const shown = (configs.data ?? []).filter((config) => matches(config, term))
  const sorted = shown.toSorted((a, b) => Number(b.credential !== undefined) - Number(a.credential !== undefined))
  return (
    <Page title="Connections" note="Services that apps and agents act on in your name or the workspace’s.">
      <div className="relative mb-3 max-w-sm">
        <Search className="absolute top-2 left-2.5 size-4 text-faint" aria-hidden />
        <input
          type="search"
          aria-label="Search services"
          placeholder="Search services"
          className={classes(inputLook, 'h-8 pl-8')}
          value={term}
          onChange={(event) => setTerm(event.target.value)}
        />
      </div>
      {configs.error ? <ProblemNote error={configs.error} retry={() => void configs.refetch()} /> : null}
      <ul className="grid grid-cols-1 gap-3 sm:grid-cols-2 lg:grid-cols-3">
        {configs.isPending ? ['a', 'b', 'c'].map((key) => <Skeleton key={key} className="h-32" />) : null}
        {sorted.map((config) => (
          <Card key={`${config.slug} ${config.type}`} config={config} onConnect={() => setChosen(config)} />
        ))}
      </ul>
      {configs.data && sorted.length === 0 ? (
        <Empty icon={Plug} title={`No service matches “${term}”`}>
          Any other service can be used through a secret.
        </Empty>
      ) : null}
      <Dialog open={chosen !== null} onClose={() => setChosen(null)} title={`Connect ${chosen?.name ?? ''}`}>
        {chosen ? <ConnectForm config={chosen} onDone={() => setChosen(null)} /> : null}
      </Dialog>
    </Page>
  )
}

export default ConnectionsPage
