// Who sees an engine, and giving it to another workspace.
import type { ReplyOf } from '@millrace/contract/call'
import type { Visibility } from '@millrace/contract/common'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { useWorkspaces } from '../shell/session.tsx'
import { useAct, useRemoval } from '../ui/act.ts'
import { ConfirmButton } from '../ui/dialog.tsx'
import { SelectField } from '../ui/field.tsx'
import { Panel } from '../ui/page.tsx'

type Engine = ReplyOf<'engines.get'>

const seenBy: Readonly<Record<Visibility, string>> = {
  private: 'Whoever added it',
  team: 'The workspace',
  org: 'The organization of the workspace',
  unlisted: 'Whoever has its address',
  public: 'Everybody',
}

const Transfer = ({ engine }: { engine: Engine }) => {
  const navigate = useNavigate()
  const [chosen, setChosen] = useState('')
  const others = (useWorkspaces().data ?? []).filter(({ id, role }) => id !== engine.team_id && role !== 'member')
  const target = others.find(({ id }) => id === chosen)
  const give = useRemoval({
    work: () => call('engines.transfer', { path: { id: engine.id }, body: { team_id: chosen } }),
    resource: 'engines',
    done: `${engine.name} works for ${target?.name ?? 'another workspace'} now`,
    leave: () => navigate({ to: '/engines' }),
  })
  // A rented one stays with who pays for it.
  if (others.length === 0 || engine.instance !== undefined) return null
  return (
    <div className="flex flex-wrap items-end gap-2">
      <SelectField
        label="Give it to"
        fieldClass="min-w-40 grow"
        value={chosen}
        onChange={(event) => setChosen(event.target.value)}
      >
        <option value="">another workspace …</option>
        {others.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </SelectField>
      {target ? (
        <ConfirmButton label="Give" title={`Give ${engine.name} to ${target.name}?`} confirm="Give it" act={give}>
          It takes no more runs of this workspace, and {target.name} trusts it with its own. You administer both.
        </ConfirmButton>
      ) : null}
    </div>
  )
}

export const EnginePlace = ({ engine }: { engine: Engine }) => {
  const see = useAct({
    work: (visibility: Visibility) => call('engines.visibility', { path: { id: engine.id }, body: { visibility } }),
    touches: ['engines'],
    done: 'It counts from now on',
  })
  return (
    <Panel title="Whose it is">
      <div className="flex flex-col gap-4">
        <SelectField
          label="Who sees it"
          help="Whose runs it does stays the same"
          value={engine.visibility}
          disabled={see.isPending}
          onChange={(event) => see.mutate(event.target.value as Visibility)}
        >
          {Object.entries(seenBy).map(([value, words]) => (
            <option key={value} value={value}>
              {words}
            </option>
          ))}
        </SelectField>
        <Transfer engine={engine} />
      </div>
    </Panel>
  )
}
