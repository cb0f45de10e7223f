// Programs of others that somebody let in by signing in: each holds a key that ends, or is ended here.
import type { ApiKey } from '@millrace/contract/access'
import { call } from '../api/call.ts'
import { useAct } from '../ui/act.ts'
import { ConfirmButton } from '../ui/dialog.tsx'
import { Panel } from '../ui/page.tsx'
import { Badge } from '../ui/status.tsx'
import { Ago } from '../ui/time.tsx'

export const isProgram = ({ source }: ApiKey): boolean => source.startsWith('oauth:')

const Row = ({ program }: { program: ApiKey }) => {
  const end = useAct({
    work: () => call('apikeys.revoke', { path: { id: program.id } }),
    touches: ['apikeys'],
    done: `${program.name} is let in no more`,
  })
  return (
    <li className="flex flex-wrap items-center gap-3 border-b px-3 py-2 last:border-0">
      <span className="min-w-32 grow">
        <span className="font-medium">{program.name}</span>
        <span className="block text-[12px] text-faint">
          let in by {program.creator.full_name || program.creator.name || program.creator.email}{' '}
          <Ago time={program.created_at} />, last used <Ago time={program.last_used_at} />
        </span>
      </span>
      <span title={program.scopes.join('\n')}>
        <Badge>{program.scopes.length} scopes</Badge>
      </span>
      <ConfirmButton
        label="End access"
        title={`End the access of ${program.name}?`}
        confirm="End access"
        act={() => end.mutateAsync()}
      >
        It is refused from this moment on, and has to ask for a sign-in again.
      </ConfirmButton>
    </li>
  )
}

export const Programs = ({ programs }: { programs: readonly ApiKey[] }) =>
  programs.length === 0 ? null : (
    <Panel title="Programs that were let in" flush>
      <ul>
        {programs.map((program) => (
          <Row key={program.id} program={program} />
        ))}
      </ul>
    </Panel>
  )
