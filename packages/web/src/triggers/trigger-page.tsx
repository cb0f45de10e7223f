// One trigger: its address or times, firing it by hand, and the log of its fires with their reasons and replay.
import { useSuspenseQuery } from '@tanstack/react-query'
import { Link, useParams, useRouter } from '@tanstack/react-router'
import { Pencil, Play } from 'lucide-react'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { read } from '../api/queries.ts'
import { useAct, useRemoval } from '../ui/act.ts'
import { Button } from '../ui/button.tsx'
import { ConfirmButton, Dialog } from '../ui/dialog.tsx'
import { Page, Panel } from '../ui/page.tsx'
import { Badge } from '../ui/status.tsx'
import { NextTimes } from './clock-part.tsx'
import { EditTrigger } from './edit-trigger.tsx'
import { FiltersPanel } from './filters-panel.tsx'
import { Fires } from './fires.tsx'
import { Address, SendTest } from './webhook-part.tsx'
import { clockOf, whenText } from './when.ts'

const TriggerPage = () => {
  const { id } = useParams({ from: '/triggers/$id' })
  const router = useRouter()
  const [editing, setEditing] = useState(false)
  const { data: trigger } = useSuspenseQuery(read('triggers.get', { path: { id } }))
  const fire = useAct({
    work: () => call('triggers.fire', { path: { id }, body: {} }),
    touches: ['trigger_fires', 'triggers'],
    done: 'Fired',
  })
  const remove = useRemoval({
    work: () => call('triggers.delete', { path: { id } }),
    resource: 'triggers',
    done: `${trigger.name} is deleted`,
    leave: () => router.navigate({ to: '/triggers' }),
  })
  const set = useAct({
    work: (enabled: boolean) => call('triggers.update', { path: { id }, body: { enabled } }),
    touches: ['triggers'],
  })
  return (
    <Page
      title={trigger.name}
      trail={
        <Link to="/triggers" className="hover:underline">
          Triggers
        </Link>
      }
      note={
        <span className="flex items-center gap-2">
          <Badge>{trigger.type}</Badge> {whenText(trigger)} {trigger.enabled ? null : <Badge tone="warn">off</Badge>}
        </span>
      }
      actions={
        <>
          <Button onClick={() => setEditing(true)}>
            <Pencil aria-hidden /> Change
          </Button>
          <Button busy={set.isPending} onClick={() => set.mutate(!trigger.enabled)}>
            {trigger.enabled ? 'Turn off' : 'Turn on'}
          </Button>
          <Button busy={fire.isPending} onClick={() => fire.mutate()}>
            <Play aria-hidden /> Fire now
          </Button>
          <ConfirmButton label="Delete" title={`Delete ${trigger.name}?`} confirm="Delete" act={remove}>
            It fires no more; a webhook’s address answers as if it had never been. Runs it has started stay.
          </ConfirmButton>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        {trigger.webhook_url ? <Address trigger={trigger} /> : null}
        {trigger.type === 'cron' ? (
          <Panel title="Next times">
            <NextTimes {...clockOf(trigger)} />
          </Panel>
        ) : null}
        {trigger.type === 'webhook' ? <SendTest trigger={trigger} /> : null}
        {trigger.type === 'webhook' ? <FiltersPanel key={trigger.id} trigger={trigger} /> : null}
        <Fires trigger={trigger} />
      </div>
      <Dialog open={editing} onClose={() => setEditing(false)} title={`Change ${trigger.name}`} wide>
        <EditTrigger trigger={trigger} onDone={() => setEditing(false)} />
      </Dialog>
    </Page>
  )
}

export default TriggerPage
