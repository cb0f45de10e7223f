// What a service wants to be connected: keys are typed here, OAuth goes through the service's own window.
import type { ConnectAnswer, ProviderConfig } from '@millrace/contract/credentials'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { useAct } from '../ui/act.ts'
import { TextField } from '../ui/field.tsx'
import { Form } from '../ui/form.tsx'
import { notify } from '../ui/notify.ts'

const isOauth = ({ type }: ProviderConfig): boolean => type === 'oauth' || type === 'mcp'

/** Opens the service in a window of its own; that window ends on a page that closes itself. */
const leadOn = ({ auth_url, message }: ConnectAnswer, name: string): void => {
  if (auth_url !== undefined) window.open(auth_url, 'millrace-connect', 'popup,width=560,height=720')
  else notify(message ?? `${name} is connected`)
}

export const ConnectForm = ({ config, onDone }: { config: ProviderConfig; onDone: () => void }) => {
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
    touches: ['credentials', 'secrets'],
    after: (answer) => {
      leadOn(answer, config.name)
      onDone()
    },
    quiet: true,
  })
  return (
    <Form act={connect} submit={isOauth(config) ? `Go on at ${config.short_name || config.name}` : 'Connect'}>
      <p className="text-soft">{config.description}</p>
      {config.how_it_works && config.how_it_works.length > 0 ? (
        <ol className="list-decimal pl-5 text-soft">
          {config.how_it_works.map((step) => (
            <li key={step}>{step}</li>
          ))}
        </ol>
      ) : null}
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
