// Adds a tool server by address. Sign-in is discovered from the server.
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { useAct } from '../ui/act.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { TextField } from '../ui/field.tsx'
import { Form } from '../ui/form.tsx'

const NewServerForm = ({ onDone }: { onDone: () => void }) => {
  const navigate = useNavigate()
  const [name, setName] = useState('')
  const [address, setAddress] = useState('')
  const add = useAct({
    work: () => call('mcp_servers.create', { body: { name, server_url: address } }),
    touches: ['mcp_servers', 'mcps'],
    done: `${name} added`,
    after: ({ slug }) => {
      onDone()
      void navigate({ to: '/tool-servers/$slug', params: { slug } })
    },
    quiet: true,
  })
  return (
    <Form act={add} submit="Add server">
      <TextField label="Name" required value={name} onChange={(event) => setName(event.target.value)} />
      <TextField
        label="Address"
        type="url"
        required
        placeholder="https://tools.example.com/mcp"
        help="The sign-in method is read from the server; no credentials are sent yet"
        value={address}
        onChange={(event) => setAddress(event.target.value)}
      />
    </Form>
  )
}

export const NewServer = () => {
  const [open, setOpen] = useState(false)
  return (
    <>
      <Button look="primary" onClick={() => setOpen(true)}>
        Add server
      </Button>
      <Dialog open={open} onClose={() => setOpen(false)} title="Add tool server">
        <NewServerForm onDone={() => setOpen(false)} />
      </Dialog>
    </>
  )
}
