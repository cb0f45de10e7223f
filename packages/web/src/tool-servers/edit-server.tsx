// Edits a tool server of the workspace: name, address and description.
import type { ReplyOf } from '@millrace/contract/call'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { useAct } from '../ui/act.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { AreaField, TextField } from '../ui/field.tsx'
import { Form } from '../ui/form.tsx'
import { changedTexts, type ServerTexts, textsOf } from './changes.ts'

type Server = ReplyOf<'mcps.get'>

const EditForm = ({ server, onDone }: { server: Server; onDone: () => void }) => {
  const stored = textsOf(server)
  const [typed, setTyped] = useState(stored)
  const field = (name: keyof ServerTexts) => ({
    value: typed[name],
    onChange: ({ target }: { target: { value: string } }) => setTyped({ ...typed, [name]: target.value }),
  })
  const save = useAct({
    work: () => call('mcp_servers.update', { path: { id: server.id }, body: changedTexts(stored, typed) }),
    touches: ['mcp_servers', 'mcps'],
    done: 'Saved',
    after: onDone,
    quiet: true,
  })
  return (
    <Form act={save} submit="Save">
      <TextField label="Name" required maxLength={200} {...field('name')} />
      <TextField label="Title" maxLength={200} help="Shown instead of the name" {...field('title')} />
      <TextField
        label="Address"
        type="url"
        required
        help="A new address repeats sign-in discovery, and everyone has to connect again"
        {...field('server_url')}
      />
      {server.auth_type === 'oauth' ? (
        <TextField
          label="Client ID"
          autoComplete="off"
          help="Of the OAuth app that you registered there, if the server does not support registration"
          {...field('oauth_client_id')}
        />
      ) : null}
      <AreaField label="Description" rows={3} {...field('description')} />
      <TextField label="Documentation URL" type="url" {...field('documentation_url')} />
    </Form>
  )
}

export const EditServer = ({ server }: { server: Server }) => {
  const [open, setOpen] = useState(false)
  return (
    <>
      <Button onClick={() => setOpen(true)}>Edit</Button>
      <Dialog open={open} onClose={() => setOpen(false)} title={`Edit ${server.title || server.name}`}>
        <EditForm server={server} onDone={() => setOpen(false)} />
      </Dialog>
    </>
  )
}
