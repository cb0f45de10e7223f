// Connects a service from a page that needs it: its form in a dialog, and its sign-in window where needed.
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { read } from '../api/queries.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { ProblemNote } from '../ui/page.tsx'
import { ConnectForm } from './connect-form.tsx'
import { useRefreshOnReturn } from './service-window.ts'

type ConnectButtonProps = {
  /** The slug of the service. */
  provider: string
  name: string
  /** Query key prefixes to refetch after connecting. */
  touches: readonly string[]
}

export const ConnectButton = ({ provider, name, touches }: ConnectButtonProps) => {
  const configs = useQuery(read('credentials.configs'))
  const [open, setOpen] = useState(false)
  useRefreshOnReturn(touches)
  const config = configs.data?.find(({ slug }) => slug === provider)
  return (
    <>
      {configs.error ? <ProblemNote error={configs.error} /> : null}
      <Button
        look="primary"
        className="self-start"
        busy={configs.isPending}
        disabled={!config}
        onClick={() => setOpen(true)}
      >
        Connect {name}
      </Button>
      <Dialog open={open} onClose={() => setOpen(false)} title={`Connect ${name}`}>
        {config ? <ConnectForm config={config} touches={touches} onDone={() => setOpen(false)} /> : null}
      </Dialog>
    </>
  )
}
