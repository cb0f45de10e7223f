// What an admin does to an engine: name it, let it finish, start it anew or in another version, stop it, take it off the list.
import type { ReplyOf } from '@millrace/contract/call'
import { engineMoves, mayMoveEngine } from '@millrace/contract/engine-status'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { useAct, useRemoval } from '../ui/act.ts'
import { Button } from '../ui/button.tsx'
import { ConfirmButton, Dialog } from '../ui/dialog.tsx'
import { TextField } from '../ui/field.tsx'
import { Form } from '../ui/form.tsx'

type Engine = ReplyOf<'engines.get'>

const touches = ['engines']

const RenameForm = ({ engine, onDone }: { engine: Engine; onDone: () => void }) => {
  const [name, setName] = useState(engine.name)
  const save = useAct({
    work: () => call('engines.update', { path: { id: engine.id }, body: { name } }),
    touches,
    done: `It is called ${name}`,
    after: onDone,
    quiet: true,
  })
  return (
    <Form act={save} submit="Rename it" disabled={name.trim() === ''}>
      <TextField
        label="Name"
        required
        autoFocus
        maxLength={200}
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
    </Form>
  )
}

const UpdateForm = ({ engine, onDone }: { engine: Engine; onDone: () => void }) => {
  const [version, setVersion] = useState('')
  const update = useAct({
    work: () => call('engines.upgrade', { path: { id: engine.id }, body: version === '' ? {} : { version } }),
    touches,
    done: 'It finishes what it has, and comes back in the other version',
    after: onDone,
    quiet: true,
  })
  return (
    <Form act={update} submit="Update it">
      <TextField
        label="Version"
        autoFocus
        placeholder="the newest"
        help={`It runs ${engine.engine_version || 'an unknown version'} now`}
        maxLength={64}
        autoComplete="off"
        value={version}
        onChange={(event) => setVersion(event.target.value.trim())}
      />
    </Form>
  )
}

/** What needs an engine that is connected and takes orders. */
const WhileItRuns = ({ engine }: { engine: Engine }) => {
  const [updating, setUpdating] = useState(false)
  const path = { id: engine.id }
  const drain = useAct({
    work: () => call('engines.drain', { path }),
    touches,
    done: 'It finishes what it has and takes nothing new',
  })
  const restart = useAct({
    work: () => call('engines.restart', { path }),
    touches,
    done: 'It finishes what it has, and starts anew',
    quiet: true,
  })
  return (
    <>
      {engine.status === 'running' ? (
        <Button busy={drain.isPending} onClick={() => drain.mutate()}>
          Drain
        </Button>
      ) : null}
      <ConfirmButton
        label="Restart"
        title={`Restart ${engine.name}?`}
        confirm="Restart"
        act={() => restart.mutateAsync()}
      >
        It takes nothing new, finishes what it has, and starts anew.
      </ConfirmButton>
      <Button onClick={() => setUpdating(true)}>Update</Button>
      <Dialog open={updating} onClose={() => setUpdating(false)} title={`Update ${engine.name}`}>
        <UpdateForm engine={engine} onDone={() => setUpdating(false)} />
      </Dialog>
    </>
  )
}

export const EngineControls = ({ engine }: { engine: Engine }) => {
  const navigate = useNavigate()
  const [renaming, setRenaming] = useState(false)
  const path = { id: engine.id }
  const remove = useRemoval({
    work: () => call('engines.delete', { path }),
    resource: 'engines',
    done: `${engine.name} is deleted`,
    leave: () => navigate({ to: '/engines' }),
  })
  return (
    <>
      <Button onClick={() => setRenaming(true)}>Rename</Button>
      {mayMoveEngine(engineMoves.restartAsked, engine.status) ? <WhileItRuns engine={engine} /> : null}
      {engine.status === 'stopped' ? (
        <ConfirmButton label="Delete" title={`Delete ${engine.name}?`} confirm="Delete" act={remove}>
          It leaves the list. Runs it has done stay.
        </ConfirmButton>
      ) : (
        <ConfirmButton
          label="Stop"
          title={`Stop ${engine.name}?`}
          confirm="Stop"
          act={() => call('engines.stop', { path })}
        >
          What runs there now is cancelled. Drain it first to let it finish.
        </ConfirmButton>
      )}
      <Dialog open={renaming} onClose={() => setRenaming(false)} title={`Rename ${engine.name}`}>
        <RenameForm engine={engine} onDone={() => setRenaming(false)} />
      </Dialog>
    </>
  )
}
