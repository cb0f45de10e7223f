// Tools that are requests: where they go, as whom, and with what. A key is named by its secret, or typed and then never shown again.
import type { ToolAuth } from '@millrace/contract/agents'
import { isRecord } from '@millrace/contract/json'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { read } from '../api/queries.ts'
import { CheckField, SelectField, TextField } from '../ui/field.tsx'
import { RowList } from '../ui/row-list.tsx'
import { type HeaderRow, headerRows, headersOf, partOf, withPart } from './config.ts'
import { SecretField } from './secret-field.tsx'
import { SchemaPart, type ToolEdit, text } from './tool-parts.tsx'

const authTypes = {
  none: 'nobody',
  credential: 'a connected service',
  bearer: 'the holder of a token',
  api_key: 'the holder of a key',
} as const
type AuthType = keyof typeof authTypes

/** `integration` is the older word for a connection. */
const authTypeOf = ({ type }: ToolAuth): AuthType => {
  if (type === 'integration') return 'credential'
  return type === '' ? 'none' : type
}

const Provider = ({ value, onChange }: { value: string; onChange: (slug: string) => void }) => {
  const configs = useQuery({ ...read('credentials.configs'), staleTime: 60_000 })
  const known = configs.data ?? []
  return (
    <SelectField
      label="Service"
      required
      help="The connection of whoever runs the agent is used; without one, it asks for it"
      value={value}
      onChange={(event) => onChange(event.target.value)}
    >
      <option value="">Choose a service</option>
      {value === '' || known.some(({ slug }) => slug === value) ? null : <option>{value}</option>}
      {known.map(({ slug, name }) => (
        <option key={slug} value={slug}>
          {name}
        </option>
      ))}
    </SelectField>
  )
}

const Auth = ({ tool, onChange }: ToolEdit) => {
  const given = partOf(tool).auth
  const auth: ToolAuth = isRecord(given) ? (given as ToolAuth) : { type: 'none' }
  const type = authTypeOf(auth)
  const set = (next: ToolAuth) => onChange(withPart(tool, { auth: next }))
  return (
    <>
      <SelectField label="Asks as" value={type} onChange={(event) => set({ type: event.target.value as AuthType })}>
        {Object.entries(authTypes).map(([each, words]) => (
          <option key={each} value={each}>
            {words}
          </option>
        ))}
      </SelectField>
      {type === 'credential' ? (
        <Provider value={auth.provider ?? ''} onChange={(provider) => set({ ...auth, type, provider })} />
      ) : null}
      {type === 'bearer' || type === 'api_key' ? (
        <SecretField
          label={type === 'bearer' ? 'Token' : 'Key'}
          value={auth.secret ?? ''}
          onChange={(secret) => set({ ...auth, secret })}
        />
      ) : null}
      {type === 'api_key' ? (
        <TextField
          label="In the header"
          placeholder="X-API-Key"
          value={auth.header ?? ''}
          onChange={(event) => set({ ...auth, header: event.target.value })}
        />
      ) : null}
    </>
  )
}

/** Rows are kept here: while a name is typed it may for a moment be that of another. */
const Headers = ({ tool, onChange }: ToolEdit) => {
  const [rows, setRows] = useState(() => headerRows(partOf(tool).headers))
  const change = (next: HeaderRow[]) => {
    setRows(next)
    onChange(withPart(tool, { headers: headersOf(next) }))
  }
  return (
    <fieldset>
      <legend className="mb-1 font-medium">Headers</legend>
      <RowList
        rows={rows}
        onChange={change}
        noun="header"
        none="None besides those that every request has."
        fresh={{ name: '', value: '' }}
        row={(row, set) => (
          <>
            <TextField
              label="Header"
              required
              value={row.name}
              onChange={(event) => set({ name: event.target.value })}
            />
            <TextField label="Its value" value={row.value} onChange={(event) => set({ value: event.target.value })} />
          </>
        )}
      />
    </fieldset>
  )
}

const Address = ({ tool, onChange }: ToolEdit) => (
  <TextField
    label="Address"
    required
    type="url"
    placeholder="https://api.example.com/items/{{id}}"
    help="Names in double braces are filled from the arguments"
    value={text(partOf(tool).url)}
    onChange={(event) => onChange(withPart(tool, { url: event.target.value }))}
  />
)

export const HttpPart = (edit: ToolEdit) => {
  const { tool, onChange } = edit
  const method = text(partOf(tool).method) || 'POST'
  return (
    <>
      <Address {...edit} />
      <SelectField
        label="Method"
        value={method}
        onChange={(event) => onChange(withPart(tool, { method: event.target.value }))}
      >
        {['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].map((each) => (
          <option key={each}>{each}</option>
        ))}
      </SelectField>
      <Auth {...edit} />
      <Headers {...edit} />
      {method === 'GET' ? null : (
        <CheckField
          label="It may be sent twice"
          help="Then it is sent again when nobody knows whether it arrived"
          checked={partOf(tool).idempotent === true}
          onChange={(event) => onChange(withPart(tool, { idempotent: event.target.checked }))}
        />
      )}
      <SchemaPart {...edit} />
    </>
  )
}

export const HookPart = (edit: ToolEdit) => {
  const { tool, onChange } = edit
  return (
    <>
      <Address {...edit} />
      <SecretField
        label="Signed with"
        value={text(partOf(tool).secret)}
        onChange={(secret) => onChange(withPart(tool, { secret }))}
        optional
      />
      <SchemaPart {...edit} />
    </>
  )
}
