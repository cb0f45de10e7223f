// The settings of HTTP and webhook tools: URL, authentication, headers. Keys are secrets or are stored encrypted.
import type { ToolAuth } from '@millrace/contract/agents'
import { isRecord } from '@millrace/contract/json'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { read } from '../api/queries.ts'
import { CheckField, SelectField, TextField } from '../ui/field.tsx'
import { RowList } from '../ui/row-list.tsx'
import { type HeaderRow, headerRows, headersOf, settingsOf, withSettings } from './config.ts'
import { SecretField } from './secret-field.tsx'
import { strings } from './strings.ts'
import { SchemaSettings, type ToolEdit, text } from './tool-settings.tsx'

const words = strings.http

type AuthType = keyof typeof words.authTypes

/** `integration` is the earlier name of `credential` on the wire. */
const authTypeOf = ({ type }: ToolAuth): AuthType => {
  if (type === 'integration') return 'credential'
  return type === '' ? 'none' : type
}

const Provider = ({ value, onChange }: { value: string; onChange: (slug: string) => void }) => {
  const configs = useQuery({ ...read('credentials.configs'), staleTime: 60_000 })
  const known = configs.data ?? []
  return (
    <SelectField
      label={words.provider}
      required
      help={words.providerHelp}
      value={value}
      onChange={(event) => onChange(event.target.value)}
    >
      <option value="">{words.chooseProvider}</option>
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
  const given = settingsOf(tool).auth
  const auth: ToolAuth = isRecord(given) ? (given as ToolAuth) : { type: 'none' }
  const type = authTypeOf(auth)
  const set = (next: ToolAuth) => onChange(withSettings(tool, { auth: next }))
  return (
    <>
      <SelectField label={words.auth} value={type} onChange={(event) => set({ type: event.target.value as AuthType })}>
        {Object.entries(words.authTypes).map(([each, label]) => (
          <option key={each} value={each}>
            {label}
          </option>
        ))}
      </SelectField>
      {type === 'credential' ? (
        <Provider value={auth.provider ?? ''} onChange={(provider) => set({ ...auth, type, provider })} />
      ) : null}
      {type === 'bearer' || type === 'api_key' ? (
        <SecretField
          label={type === 'bearer' ? words.token : words.key}
          value={auth.secret ?? ''}
          onChange={(secret) => set({ ...auth, secret })}
        />
      ) : null}
      {type === 'api_key' ? (
        <TextField
          label={words.header}
          placeholder="X-API-Key"
          value={auth.header ?? ''}
          onChange={(event) => set({ ...auth, header: event.target.value })}
        />
      ) : null}
    </>
  )
}

/** Holds the rows itself: while a name is typed it may equal another name, which would merge the two. */
const Headers = ({ tool, onChange }: ToolEdit) => {
  const [rows, setRows] = useState(() => headerRows(settingsOf(tool).headers))
  const change = (next: HeaderRow[]) => {
    setRows(next)
    onChange(withSettings(tool, { headers: headersOf(next) }))
  }
  return (
    <fieldset>
      <legend className="mb-1 font-medium">{words.headers}</legend>
      <RowList
        rows={rows}
        onChange={change}
        noun="header"
        none={words.noHeaders}
        fresh={{ name: '', value: '' }}
        row={(row, set) => (
          <>
            <TextField
              label={words.headerName}
              required
              value={row.name}
              onChange={(event) => set({ name: event.target.value })}
            />
            <TextField
              label={words.headerValue}
              value={row.value}
              onChange={(event) => set({ value: event.target.value })}
            />
          </>
        )}
      />
    </fieldset>
  )
}

const UrlField = ({ tool, onChange }: ToolEdit) => (
  <TextField
    label={words.url}
    required
    type="url"
    placeholder="https://api.example.com/items/{{id}}"
    help={words.urlHelp}
    value={text(settingsOf(tool).url)}
    onChange={(event) => onChange(withSettings(tool, { url: event.target.value }))}
  />
)

export const HttpSettings = (edit: ToolEdit) => {
  const { tool, onChange } = edit
  const method = text(settingsOf(tool).method) || 'POST'
  return (
    <>
      <UrlField {...edit} />
      <SelectField
        label={words.method}
        value={method}
        onChange={(event) => onChange(withSettings(tool, { method: event.target.value }))}
      >
        {['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].map((each) => (
          <option key={each}>{each}</option>
        ))}
      </SelectField>
      <Auth {...edit} />
      <Headers {...edit} />
      {method === 'GET' ? null : (
        <CheckField
          label={words.idempotent}
          help={words.idempotentHelp}
          checked={settingsOf(tool).idempotent === true}
          onChange={(event) => onChange(withSettings(tool, { idempotent: event.target.checked }))}
        />
      )}
      <SchemaSettings {...edit} />
    </>
  )
}

export const WebhookSettings = (edit: ToolEdit) => {
  const { tool, onChange } = edit
  return (
    <>
      <UrlField {...edit} />
      <SecretField
        label={words.signingSecret}
        value={text(settingsOf(tool).secret)}
        onChange={(secret) => onChange(withSettings(tool, { secret }))}
        optional
      />
      <SchemaSettings {...edit} />
    </>
  )
}
