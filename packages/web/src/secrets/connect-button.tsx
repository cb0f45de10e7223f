// Connects a service where its absence was noticed: the form of the service in a dialog, and its own window where it wants one.
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { read } from '../api/queries.ts'
import { refresh } from '../api/refresh.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { ProblemNote } from '../ui/page.tsx'
import { ConnectForm } from './connect-form.tsx'

type ConnectButtonProps = {
  /** The slug of the service. */
  provider: string
  name: string
  /** First parts of the keys of what can be asked again once it is connected. */
  touches: readonly string[]
}

export const ConnectButton = ({ provider, name, touches }: ConnectButtonProps) => {
  const client = useQueryClient()
  const configs = useQuery(read('credentials.configs'))
  const [open, setOpen] = useState(false)
  const watched = touches.join(' ')
  // The window of the service closes itself, and this one is looked at again.
  useEffect(() => {
    const onFocus = () => {
      for (const resource of watched.split(' ')) void refresh(client, { queryKey: [resource] })
    }
    window.addEventListener('focus', onFocus)
    return () => window.removeEventListener('focus', onFocus)
  }, [client, watched])
  const config = configs.data?.find(({ slug }) => slug === provider)
  const done = () => {
    setOpen(false)
    for (const resource of touches) void refresh(client, { queryKey: [resource] })
  }
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
        {config ? <ConnectForm config={config} onDone={done} /> : null}
      </Dialog>
    </>
  )
}
