// Secrets and connections that apps require and the workspace does not have. Both can be added in place.
import type { App, SecretRequirement } from '@millrace/contract/apps'
import type { RequirementError } from '@millrace/contract/credentials'
import { useQuery } from '@tanstack/react-query'
import { TriangleAlert } from 'lucide-react'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { read } from '../api/queries.ts'
import { ConnectButton } from '../secrets/connect-button.tsx'
import { useCan } from '../shell/session.tsx'
import { useAct } from '../ui/act.ts'
import { Button } from '../ui/button.tsx'
import { classes } from '../ui/classes.ts'
import { inputLook } from '../ui/field.tsx'
import { uiStrings } from '../ui/strings.ts'
import { strings } from './strings.ts'

const words = strings.run

const SecretInput = ({ name }: { name: string }) => {
  const [value, setValue] = useState('')
  const save = useAct({
    work: () => call('secrets.create', { body: { key: name, value } }),
    touches: ['secrets', 'credentials'],
    done: words.secretSaved(name),
  })
  return (
    <div className="flex gap-2">
      <input
        type="password"
        autoComplete="off"
        aria-label={words.secretValue(name)}
        className={classes(inputLook, 'h-8')}
        value={value}
        onChange={(event) => setValue(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return
          // The field is part of the form of an app or an agent.
          event.preventDefault()
          if (value !== '') save.mutate()
        }}
      />
      <Button busy={save.isPending} disabled={value === ''} onClick={() => save.mutate()}>
        {words.saveSecret}
      </Button>
    </div>
  )
}

const Requirement = ({ error }: { error: RequirementError }) => {
  const canStore = useCan()('manage_vault')
  return (
    <li className="flex flex-col gap-1">
      <span>{error.message}</span>
      {error.action?.type === 'add_secret' && canStore ? <SecretInput name={error.key} /> : null}
      {error.action?.type === 'add_secret' && !canStore ? <span className="text-soft">{words.askAdmin}</span> : null}
      {error.action?.type === 'connect' || error.action?.type === 'add_scopes' ? (
        <ConnectButton
          provider={error.action.provider ?? error.key}
          name={error.action.provider_name ?? error.action.provider ?? error.key}
          touches={['credentials']}
        />
      ) : null}
    </li>
  )
}

/** Says which secrets the app reads, whether they are stored or not. */
export const NeededSecrets = ({ secrets }: { secrets: readonly SecretRequirement[] }) => (
  <p className="text-[12px] text-faint">
    {words.readsSecrets}{' '}
    {secrets.map(({ key, description, optional }, index) => (
      <span key={key} title={description}>
        {index === 0 ? '' : ', '}
        <code className="font-mono">{key}</code>
        {optional ? ` (${uiStrings.optional.toLowerCase()})` : ''}
      </span>
    ))}
  </p>
)

const Requirements = ({ title, errors }: { title: string; errors: readonly RequirementError[] }) => (
  <div className="rounded-md border border-warn/40 bg-warn-soft p-3">
    <p className="mb-2 flex items-center gap-2 font-medium text-warn">
      <TriangleAlert className="size-4" aria-hidden /> {title}
    </p>
    <ul className="flex flex-col gap-2">
      {errors.map((error) => (
        <Requirement key={`${error.type} ${error.key}`} error={error} />
      ))}
    </ul>
  </div>
)

/** Nothing unless a requirement of the apps is not met. */
export const UnmetRequirements = ({ apps, title = words.requirements }: { apps: readonly App[]; title?: string }) => {
  const body = {
    secrets: apps.flatMap(({ version }) => version?.required_secrets ?? []),
    credentials: apps.flatMap(({ version }) => version?.required_credentials ?? []),
  }
  const enabled = body.secrets.length + body.credentials.length > 0
  const { data } = useQuery({ ...read('credentials.check', { body }), enabled })
  return data && !data.satisfied ? <Requirements title={title} errors={data.errors ?? []} /> : null
}
