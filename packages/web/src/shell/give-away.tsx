// Giving what a page shows to another workspace, for whom the server lets give; it names the thing and asks once.
import { type ReactNode, useState } from 'react'
import { useRemoval } from '../ui/act.ts'
import { ConfirmButton } from '../ui/dialog.tsx'
import { SelectField } from '../ui/field.tsx'
import { Panel } from '../ui/page.tsx'
import { useSession, useWorkspaces } from './session.tsx'

type GiveAwayProps = {
  /** What is given, as it is called now. */
  what: string
  give: (teamId: string) => Promise<unknown>
  /** First part of the keys of the lists that it stood in. */
  resource: string
  /** To a page that is still this workspace's. */
  leave: () => Promise<void>
  /** What that means for those who use it. */
  children: ReactNode
}

/** Shown where there is another workspace to give it to. */
export const GiveAway = ({ what, give, resource, leave, children }: GiveAwayProps) => {
  const { team, isAdmin } = useSession()
  const workspaces = useWorkspaces().data ?? []
  const takers = workspaces
    .filter(({ id }) => id !== team.id)
    .map(({ id, name, username }) => ({ id, name: name || username }))
  const [chosen, setChosen] = useState('')
  const taker = takers.find(({ id }) => id === chosen) ?? takers[0]
  const act = useRemoval({
    work: () => give(taker?.id ?? ''),
    resource,
    done: `${what} belongs to ${taker?.name} now`,
    leave,
  })
  if (!isAdmin || taker === undefined) return null
  return (
    <Panel title="Give it to another workspace">
      <div className="flex flex-col gap-3">
        <SelectField label="Workspace" value={taker.id} onChange={(event) => setChosen(event.target.value)}>
          {takers.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </SelectField>
        <div>
          <ConfirmButton label="Give it away" title={`Give ${what} to ${taker.name}?`} confirm="Give it away" act={act}>
            {children}
          </ConfirmButton>
        </div>
      </div>
    </Panel>
  )
}
