// The form that connects a service: keys are entered here, OAuth uses the service's own window.
import type { ConnectAnswer, ProviderConfig } from '@millrace/contract/credentials'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { refresh } from '../api/refresh.ts'
import { useAct } from '../ui/act.ts'
import { TextField } from '../ui/field.tsx'
import { Form } from '../ui/form.tsx'
import { notify, notifyProblem } from '../ui/notify.ts'
import { RedirectAddress } from './redirect-address.tsx'
import { openServiceWindow } from './service-window.ts'

const isOauth = ({ type }: ProviderConfig): boolean => type === 'oauth' || type === 'mcp'

/** Opens the sign-in window of the service if it needs one; otherwise it is already connected. */
const openSignIn = ({ auth_url, message }: ConnectAnswer, name: string, onClosed: () => void): void => {
  if (auth_url === undefined) notify(message ?? `${name} is connected`)
  else if (!openServiceWindow(auth_url, onClosed))
    notifyProblem(
      new Error(`The browser blocked the window of ${name}; allow pop-ups for this page, then connect again`),
    )
}

type ConnectFormProps = {
  config: ProviderConfig
  /** Query key prefixes to refetch after connecting, besides the connections. */
  touches?: readonly string[]
  onDone: () => void
}

export const ConnectForm = ({ config, touches = [], onDone }: ConnectFormProps) => {
  const client = useQueryClient()
  const touched = ['credentials', 'secrets', ...touches]
  const fields = config.secret_fields ?? []
  const [values, setValues] = useState<Record<string, string>>({})
  const setsApp = isOauth(config) && config.grant === 'credentials'
  const connect = useAct({
    work: async () => {
      if (setsApp) await call('credentials.set_app', { path: { provider: config.slug }, body: { values } })
      const [first] = fields
      return call('credentials.connect', {
        body: {
          provider: config.slug,
          type: config.type,
          ...(isOauth(config) || !first ? {} : { api_key: values[first.key] ?? '', metadata: values }),
        },
      })
    },
    touches: touched,
    after: (answer) => {
      openSignIn(answer, config.name, () => {
        for (const resource of touched) void refresh(client, { queryKey: [resource] })
      })
      onDone()
    },
    quiet: true,
  })
  return (
    <Form act={connect} submit={isOauth(config) ? `Continue at ${config.short_name || config.name}` : 'Connect'}>
      <p className="text-soft">{config.description}</p>
      {config.how_it_works && config.how_it_works.length > 0 ? (
        <ol className="list-decimal pl-5 text-soft">
          {config.how_it_works.map((step) => (
            <li key={step}>{step}</li>
          ))}
        </ol>
      ) : null}
      {setsApp ? <RedirectAddress provider={config.slug} /> : null}
      {!isOauth(config) || setsApp
        ? fields.map(({ key, label, placeholder, sensitive, optional }) => (
            <TextField
              key={key}
              label={label}
              placeholder={placeholder}
              type={sensitive ? 'password' : 'text'}
              autoComplete="off"
              required={!optional}
              value={values[key] ?? ''}
              onChange={(event) => setValues({ ...values, [key]: event.target.value })}
            />
          ))
        : null}
      {config.docs_url ? (
        <a className="text-accent underline" href={config.docs_url} target="_blank" rel="noreferrer">
          Where to find this
        </a>
      ) : null}
    </Form>
  )
}
