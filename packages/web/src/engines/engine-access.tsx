// The visibility of an engine, and its transfer to another workspace.
import type { ReplyOf } from '@millrace/contract/call'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { useWorkspaces } from '../shell/session.tsx'
import { VisibilitySelect } from '../shell/visibility-select.tsx'
import { useRemoval } from '../ui/act.ts'
import { ConfirmButton } from '../ui/dialog.tsx'
import { Field, SelectField } from '../ui/field.tsx'
import { Panel } from '../ui/page.tsx'
import { uiStrings } from '../ui/strings.ts'
import { strings } from './strings.ts'

type Engine = ReplyOf<'engines.get'>

const words = strings.access

const Transfer = ({ engine }: { engine: Engine }) => {
  const navigate = useNavigate()
  const [chosen, setChosen] = useState('')
  const others = (useWorkspaces().data ?? []).filter(({ id, role }) => id !== engine.team_id && role !== 'member')
  const target = others.find(({ id }) => id === chosen)
  const transfer = useRemoval({
    work: () => call('engines.transfer', { path: { id: engine.id }, body: { team_id: chosen } }),
    resource: 'engines',
    done: uiStrings.transferredThing(engine.name, target?.name ?? ''),
    leave: () => navigate({ to: '/engines' }),
  })
  // A rented machine stays with the workspace that pays for it.
  if (others.length === 0 || engine.instance !== undefined) return null
  return (
    <div className="flex flex-wrap items-end gap-2">
      <SelectField
        label={words.transferTo}
        fieldClass="min-w-40 grow"
        value={chosen}
        onChange={(event) => setChosen(event.target.value)}
      >
        <option value="">{words.chooseWorkspace}</option>
        {others.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </SelectField>
      {target ? (
        <ConfirmButton
          label={words.transfer}
          title={uiStrings.transferTitle(engine.name, target.name)}
          confirm={uiStrings.transfer}
          act={transfer}
        >
          {words.transferText(target.name)}
        </ConfirmButton>
      ) : null}
    </div>
  )
}

export const EngineAccess = ({ engine }: { engine: Engine }) => (
  <Panel title={words.title}>
    <div className="flex flex-col gap-4">
      <Field label={uiStrings.visibility} help={words.visibilityHelp}>
        {(ids) => (
          <VisibilitySelect
            ids={ids}
            row={engine}
            save={(visibility) => call('engines.visibility', { path: { id: engine.id }, body: { visibility } })}
            touches={['engines']}
            rule="wider"
          />
        )}
      </Field>
      <Transfer engine={engine} />
    </div>
  </Panel>
)
