// Transfers a resource to another workspace after a confirmation that names both. Only admins see it.
import { type ReactNode, useState } from 'react'
import { useRemoval } from '../ui/act.ts'
import { ConfirmButton } from '../ui/dialog.tsx'
import { SelectField } from '../ui/field.tsx'
import { Panel } from '../ui/page.tsx'
import { uiStrings } from '../ui/strings.ts'
import { useSession, useWorkspaces } from './session.tsx'
import { strings } from './strings.ts'

type TransferProps = {
  /** The current reference of the resource. */
  what: string
  give: (teamId: string) => Promise<unknown>
  /** First part of the keys of the lists that contain the resource. */
  resource: string
  /** Navigates to a page that still belongs to this workspace. */
  leave: () => Promise<void>
  /** The consequences for users of the resource. */
  children: ReactNode
}

/** Hidden when the person has no other workspace. */
export const Transfer = ({ what, give, resource, leave, children }: TransferProps) => {
  const { team, isAdmin } = useSession()
  const workspaces = useWorkspaces().data ?? []
  const targets = workspaces
    .filter(({ id }) => id !== team.id)
    .map(({ id, name, username }) => ({ id, name: name || username }))
  const [chosen, setChosen] = useState('')
  const target = targets.find(({ id }) => id === chosen) ?? targets[0]
  const act = useRemoval({
    work: () => give(target?.id ?? ''),
    resource,
    done: uiStrings.transferredThing(what, target?.name ?? ''),
    leave,
  })
  if (!isAdmin || target === undefined) return null
  return (
    <Panel title={strings.transfer.title}>
      <div className="flex flex-col gap-3">
        <SelectField label={uiStrings.workspace} value={target.id} onChange={(event) => setChosen(event.target.value)}>
          {targets.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </SelectField>
        <div>
          <ConfirmButton
            label={uiStrings.transfer}
            title={uiStrings.transferTitle(what, target.name)}
            confirm={uiStrings.transfer}
            act={act}
          >
            {children}
          </ConfirmButton>
        </div>
      </div>
    </Panel>
  )
}
