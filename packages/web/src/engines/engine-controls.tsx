// Actions of an admin on an engine: rename, drain, restart, update, stop, delete.
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
import { uiStrings } from '../ui/strings.ts'
import { strings } from './strings.ts'

const words = strings.controls

type Engine = ReplyOf<'engines.get'>

const touches = ['engines']

const RenameForm = ({ engine, onDone }: { engine: Engine; onDone: () => void }) => {
  const [name, setName] = useState(engine.name)
  const save = useAct({
    work: () => call('engines.update', { path: { id: engine.id }, body: { name } }),
    touches,
    done: uiStrings.renamedThing(name),
    after: onDone,
    quiet: true,
  })
  return (
    <Form act={save} submit={words.rename} disabled={name.trim() === ''}>
      <TextField
        label={uiStrings.name}
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
    done: words.updating,
    after: onDone,
    quiet: true,
  })
  return (
    <Form act={update} submit={words.update}>
      <TextField
        label={words.version}
        autoFocus
        placeholder={words.latestVersion}
        help={words.currentVersion(engine.engine_version)}
        maxLength={64}
        autoComplete="off"
        value={version}
        onChange={(event) => setVersion(event.target.value.trim())}
      />
    </Form>
  )
}

/** Actions that need a connected engine. */
const ConnectedControls = ({ engine }: { engine: Engine }) => {
  const [updating, setUpdating] = useState(false)
  const path = { id: engine.id }
  const drain = useAct({
    work: () => call('engines.drain', { path }),
    touches,
    done: words.draining,
  })
  const restart = useAct({
    work: () => call('engines.restart', { path }),
    touches,
    done: words.restarting,
    quiet: true,
  })
  return (
    <>
      {engine.status === 'running' ? (
        <Button busy={drain.isPending} onClick={() => drain.mutate()}>
          {words.drain}
        </Button>
      ) : null}
      <ConfirmButton
        label={words.restart}
        title={words.restartTitle(engine.name)}
        confirm={words.restart}
        act={() => restart.mutateAsync()}
      >
        {words.restartText}
      </ConfirmButton>
      <Button onClick={() => setUpdating(true)}>{uiStrings.update}</Button>
      <Dialog open={updating} onClose={() => setUpdating(false)} title={words.updateTitle(engine.name)}>
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
    done: uiStrings.deletedThing(engine.name),
    leave: () => navigate({ to: '/engines' }),
  })
  return (
    <>
      <Button onClick={() => setRenaming(true)}>{uiStrings.rename}</Button>
      {mayMoveEngine(engineMoves.restartAsked, engine.status) ? <ConnectedControls engine={engine} /> : null}
      {engine.status === 'stopped' ? (
        <ConfirmButton
          label={uiStrings.delete}
          title={uiStrings.deleteTitle(engine.name)}
          confirm={uiStrings.delete}
          act={remove}
        >
          {words.deleteText}
        </ConfirmButton>
      ) : (
        <ConfirmButton
          label={words.stop}
          title={words.stopTitle(engine.name)}
          confirm={words.stop}
          act={() => call('engines.stop', { path })}
        >
          {words.stopText}
        </ConfirmButton>
      )}
      <Dialog open={renaming} onClose={() => setRenaming(false)} title={uiStrings.renameTitle(engine.name)}>
        <RenameForm engine={engine} onDone={() => setRenaming(false)} />
      </Dialog>
    </>
  )
}
