// OAuth applications that a member authorized; each has an expiring key that can be revoked here.
import type { ApiKey } from '@millrace/contract/access'
import { call } from '../api/call.ts'
import { useAct } from '../ui/act.ts'
import { ConfirmButton } from '../ui/dialog.tsx'
import { Panel } from '../ui/page.tsx'
import { Badge } from '../ui/status.tsx'
import { Ago } from '../ui/time.tsx'
import { strings } from './strings.ts'

export const isProgram = ({ source }: ApiKey): boolean => source.startsWith('oauth:')

const Row = ({ program }: { program: ApiKey }) => {
  const end = useAct({
    work: () => call('apikeys.revoke', { path: { id: program.id } }),
    touches: ['apikeys'],
    done: strings.programs.revoked(program.name),
  })
  return (
    <li className="flex flex-wrap items-center gap-3 border-b px-3 py-2 last:border-0">
      <span className="min-w-32 grow">
        <span className="font-medium">{program.name}</span>
        <span className="block text-[12px] text-faint">
          {strings.programs.authorizedBy(program.creator.full_name || program.creator.name || program.creator.email)}{' '}
          <Ago time={program.created_at} />
          {strings.programs.lastUsed} <Ago time={program.last_used_at} />
        </span>
      </span>
      <span title={program.scopes.join('\n')}>
        <Badge>{strings.apiKeys.scopeCount(program.scopes.length)}</Badge>
      </span>
      <ConfirmButton
        label={strings.programs.revoke}
        title={strings.programs.revokeTitle(program.name)}
        confirm={strings.programs.revoke}
        act={() => end.mutateAsync()}
      >
        {strings.programs.revokeText}
      </ConfirmButton>
    </li>
  )
}

export const Programs = ({ programs }: { programs: readonly ApiKey[] }) =>
  programs.length === 0 ? null : (
    <Panel title={strings.programs.title} flush>
      <ul>
        {programs.map((program) => (
          <Row key={program.id} program={program} />
        ))}
      </ul>
    </Panel>
  )
