// The clouds of the installation that offer machines, for staff.
import type { Cloud, CloudKind } from '@millrace/contract/instances'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { Problem } from '../api/problem.ts'
import { read } from '../api/queries.ts'
import { useAct } from '../ui/act.ts'
import { Button, ButtonLink } from '../ui/button.tsx'
import { commandsFor } from '../ui/commands.ts'
import { ConfirmButton, Dialog } from '../ui/dialog.tsx'
import { SelectField, TextField } from '../ui/field.tsx'
import { Form } from '../ui/form.tsx'
import { Panel, ProblemNote } from '../ui/page.tsx'
import { Badge } from '../ui/status.tsx'
import { strings } from './strings.ts'

const words = strings.clouds

const touched = ['clouds', 'instances', 'engines']

/** The local machine, so that renting can be tried without a cloud. */
const ownMachine = (hourlyPrice: number) => ({
  catalog_instance_type: 'this-computer',
  cloud_instance_type: 'this-computer',
  deployment_type: 'vm' as const,
  configuration: { vcpus: navigator.hardwareConcurrency },
  availability: [{ region: 'here', rental_type: 'on_demand' as const, available: true, hourly_price: hourlyPrice }],
})

const AddCloud = ({ onDone }: { onDone: () => void }) => {
  const [kind, setKind] = useState<CloudKind>('http')
  const [key, setKey] = useState('')
  const [url, setUrl] = useState('')
  const [token, setToken] = useState('')
  const [price, setPrice] = useState('1')
  const add = useAct({
    work: async () => {
      const where = kind === 'http' ? { url, token } : {}
      await call('clouds.set', { path: { key }, body: { kind, name: key, ...where } })
      if (kind === 'http') await call('clouds.refresh', { path: { key } })
      else await call('clouds.set_types', { path: { key }, body: { types: [ownMachine(Number(price))] } })
    },
    touches: touched,
    done: words.added(key),
    after: onDone,
    quiet: true,
  })
  return (
    <Form act={add} submit={words.add}>
      <SelectField label={words.kind} value={kind} onChange={(event) => setKind(event.target.value as CloudKind)}>
        <option value="http">{words.http}</option>
        <option value="local">{words.local}</option>
      </SelectField>
      <TextField
        label={words.key}
        required
        pattern="[a-z0-9]+(-[a-z0-9]+)*"
        help={words.keyHelp}
        value={key}
        onChange={(event) => setKey(event.target.value)}
      />
      {kind === 'http' ? (
        <>
          <TextField
            label={words.url}
            type="url"
            required
            help={words.urlHelp(commandsFor(location.origin).startBroker)}
            value={url}
            onChange={(event) => setUrl(event.target.value)}
          />
          <TextField
            label={words.token}
            type="password"
            required
            autoComplete="off"
            value={token}
            onChange={(event) => setToken(event.target.value)}
          />
        </>
      ) : (
        <TextField
          label={words.price}
          type="number"
          min={1}
          required
          value={price}
          onChange={(event) => setPrice(event.target.value)}
        />
      )}
    </Form>
  )
}

const Row = ({ cloud }: { cloud: Cloud }) => {
  const refresh = useAct({
    work: () => call('clouds.refresh', { path: { key: cloud.key } }),
    touches: touched,
    done: (types) => words.refreshed(types.length),
  })
  const remove = useAct({ work: () => call('clouds.delete', { path: { key: cloud.key } }), touches: touched })
  return (
    <li className="flex flex-wrap items-center gap-3 border-b px-3 py-2 last:border-0">
      <span className="min-w-32 grow">
        <span className="font-medium">{cloud.name}</span>{' '}
        <Badge>{cloud.kind === 'local' ? words.localBadge : words.brokerBadge}</Badge>
        <span className="block truncate text-[12px] text-faint">{cloud.url || words.thisMachine}</span>
      </span>
      {cloud.enabled ? null : <Badge tone="warn">{words.disabled}</Badge>}
      {cloud.kind === 'http' ? (
        <Button busy={refresh.isPending} onClick={() => refresh.mutate()}>
          {words.refresh}
        </Button>
      ) : null}
      <ConfirmButton
        label={words.remove}
        title={words.removeTitle(cloud.name)}
        confirm={words.remove}
        act={() => remove.mutateAsync()}
      >
        {words.removeText}
      </ConfirmButton>
    </li>
  )
}

const needsAuthenticator = (error: unknown): boolean =>
  error instanceof Problem && ['admin_authenticator_required', 'otp_required'].includes(error.code)

const CloudList = () => {
  const clouds = useQuery(read('clouds.list'))
  if (clouds.error)
    return (
      <div className="flex flex-col gap-2 p-3">
        <ProblemNote error={clouds.error} />
        {needsAuthenticator(clouds.error) ? (
          <ButtonLink to="/settings/account" className="self-start">
            {words.setUpAuthenticator}
          </ButtonLink>
        ) : null}
      </div>
    )
  if (clouds.data?.length === 0) return <p className="p-3 text-faint">{words.none}</p>
  return (
    <ul>
      {(clouds.data ?? []).map((cloud) => (
        <Row key={cloud.key} cloud={cloud} />
      ))}
    </ul>
  )
}

/** Loaded on demand, because it requires a sign-in with an authenticator. */
export const Clouds = () => {
  const [shown, setShown] = useState(false)
  const [adding, setAdding] = useState(false)
  return (
    <Panel
      title={words.title}
      flush
      actions={
        shown ? (
          <Button onClick={() => setAdding(true)}>{words.add}</Button>
        ) : (
          <Button onClick={() => setShown(true)}>{words.show}</Button>
        )
      }
    >
      {shown ? <CloudList /> : null}
      <Dialog open={adding} onClose={() => setAdding(false)} title={words.add}>
        <AddCloud onDone={() => setAdding(false)} />
      </Dialog>
    </Panel>
  )
}
