// One trigger: webhook URL or schedule, manual run, events with replay.
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
import { uiStrings } from '../ui/strings.ts'
import { EditTrigger } from './edit-trigger.tsx'
import { FiltersPanel } from './filters-panel.tsx'
import { types } from './labels.ts'
import { NextTimes } from './schedule-part.tsx'
import { strings } from './strings.ts'
import { TargetLink } from './target-link.tsx'
import { TriggerEvents } from './trigger-events.tsx'
import { TestRequest, WebhookUrl } from './webhook-part.tsx'
import { scheduleOf, whenText } from './when.ts'

const TriggerPage = () => {
  const { id } = useParams({ from: '/triggers/$id' })
  const router = useRouter()
  const [editing, setEditing] = useState(false)
  const { data: trigger } = useSuspenseQuery(read('triggers.get', { path: { id } }))
  const fire = useAct({
    work: () => call('triggers.fire', { path: { id }, body: {} }),
    touches: ['trigger_fires', 'triggers'],
    done: strings.trigger.fired,
  })
  const remove = useRemoval({
    work: () => call('triggers.delete', { path: { id } }),
    resource: 'triggers',
    done: uiStrings.deletedThing(trigger.name),
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
          {strings.title}
        </Link>
      }
      note={
        <span className="flex flex-wrap items-center gap-2">
          <Badge>{types[trigger.type]}</Badge> {whenText(trigger)} <TargetLink trigger={trigger} />
          {trigger.enabled ? null : <Badge tone="warn">{uiStrings.disabled}</Badge>}
        </span>
      }
      actions={
        <>
          <Button onClick={() => setEditing(true)}>
            <Pencil aria-hidden /> {uiStrings.edit}
          </Button>
          <Button busy={set.isPending} onClick={() => set.mutate(!trigger.enabled)}>
            {trigger.enabled ? strings.trigger.disable : strings.trigger.enable}
          </Button>
          <Button busy={fire.isPending} onClick={() => fire.mutate()}>
            <Play aria-hidden /> {strings.trigger.run}
          </Button>
          <ConfirmButton
            label={uiStrings.delete}
            title={uiStrings.deleteTitle(trigger.name)}
            confirm={uiStrings.delete}
            act={remove}
          >
            {strings.trigger.deleteText}
          </ConfirmButton>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        {trigger.webhook_url ? <WebhookUrl trigger={trigger} /> : null}
        {trigger.type === 'cron' ? (
          <Panel title={strings.trigger.nextTimes}>
            <NextTimes {...scheduleOf(trigger)} />
          </Panel>
        ) : null}
        {trigger.type === 'webhook' ? <TestRequest trigger={trigger} /> : null}
        {trigger.type === 'webhook' ? <FiltersPanel key={trigger.id} trigger={trigger} /> : null}
        <TriggerEvents trigger={trigger} />
      </div>
      <Dialog open={editing} onClose={() => setEditing(false)} title={strings.trigger.editTitle(trigger.name)} wide>
        <EditTrigger trigger={trigger} onDone={() => setEditing(false)} />
      </Dialog>
    </Page>
  )
}

export default TriggerPage
