// Giving something to another workspace, for whom the server lets give; it names the thing and asks once.
import { type ReactNode, useState } from 'react'
import { useSession, useWorkspaces } from '../shell/session.tsx'
import { ConfirmButton } from '../ui/dialog.tsx'
import { SelectField } from '../ui/field.tsx'
import { Panel } from '../ui/page.tsx'

export type Taker = { id: string; name: string }

type GiveAwayProps = {
  /** What is given, as it is called now. */
  what: string
  act: (taker: Taker) => Promise<unknown>
  /** What that means for those who use it. */
  children: ReactNode
}

/** Shown where there is another workspace to give it to. */
export const GiveAway = ({ what, act, children }: GiveAwayProps) => {
  const { team, isAdmin } = useSession()
  const workspaces = useWorkspaces().data ?? []
  const takers = workspaces
    .filter(({ id }) => id !== team.id)
    .map(({ id, name, username }): Taker => ({ id, name: name || username }))
  const [chosen, setChosen] = useState('')
  const taker = takers.find(({ id }) => id === chosen) ?? takers[0]
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
          <ConfirmButton
            label="Give it away"
            title={`Give ${what} to ${taker.name}?`}
            confirm="Give it away"
            act={() => act(taker)}
          >
            {children}
          </ConfirmButton>
        </div>
      </div>
    </Panel>
  )
}
