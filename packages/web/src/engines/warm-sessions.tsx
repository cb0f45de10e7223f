// Sessions: app instances that stay on a worker between two calls. A session can be ended before it expires.
import type { ReplyOf } from '@millrace/contract/call'
import { useQuery } from '@tanstack/react-query'
import { call } from '../api/call.ts'
import { useList } from '../api/list.ts'
import { read } from '../api/queries.ts'
import { useAct } from '../ui/act.ts'
import { Id } from '../ui/copy.tsx'
import { ConfirmButton } from '../ui/dialog.tsx'
import { Panel, ProblemNote } from '../ui/page.tsx'
import { Ago } from '../ui/time.tsx'
import { strings } from './strings.ts'

const words = strings.sessions

type Session = ReplyOf<'sessions.list'>[number]

const useAppNames = (ids: readonly string[]): ReadonlyMap<string, string> => {
  const { items } = useList(
    'apps.list',
    { include_others: true, filters: [{ field: 'id', operator: 'in', value: [...ids].sort() }], limit: 100 },
    { enabled: ids.length > 0 },
  )
  return new Map(items.map(({ id, title, namespace, name }) => [id, title || `${namespace}/${name}`]))
}

const Row = ({ session, app }: { session: Session; app: string }) => {
  const end = useAct({
    work: () => call('sessions.end', { path: { id: session.id } }),
    touches: ['sessions', 'engines'],
    done: words.ended,
    quiet: true,
  })
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b px-3 py-2 last:border-0">
      <span className="font-medium">{app}</span>
      <Id id={session.id} />
      <span className="grow text-soft">
        {words.calls(session.call_count)}, {words.lastCall} <Ago time={session.last_call_at} />, {words.expires}{' '}
        <Ago time={session.expires_at} />
      </span>
      <ConfirmButton label={words.end} title={words.endTitle(app)} confirm={words.end} act={() => end.mutateAsync()}>
        {words.endText(app)}
      </ConfirmButton>
    </li>
  )
}

export const WarmSessions = () => {
  const sessions = useQuery(read('sessions.list'))
  const names = useAppNames((sessions.data ?? []).map(({ app_id }) => app_id))
  if (sessions.error) return <ProblemNote error={sessions.error} retry={() => void sessions.refetch()} />
  if (!sessions.data || sessions.data.length === 0) return null
  return (
    <Panel title={words.title} flush>
      <ul>
        {sessions.data.map((session) => (
          <Row key={session.id} session={session} app={names.get(session.app_id) ?? session.app_id.slice(0, 8)} />
        ))}
      </ul>
    </Panel>
  )
}
