// The versions of a secret, masked, and how to restore one.
import type { Secret } from '@millrace/contract/secrets'
import { useQuery } from '@tanstack/react-query'
import { call } from '../api/call.ts'
import { read } from '../api/queries.ts'
import { usePeople } from '../shell/people.ts'
import { useAct } from '../ui/act.ts'
import { Button } from '../ui/button.tsx'
import { ProblemNote, SkeletonRows } from '../ui/page.tsx'
import { Badge } from '../ui/status.tsx'
import { Ago } from '../ui/time.tsx'

export const SecretVersions = ({ secret }: { secret: Secret }) => {
  const path = { key: secret.key }
  const versions = useQuery(read('secrets.versions', { path }))
  const { nameOf } = usePeople()
  const restore = useAct({
    work: (id: string) => call('secrets.restore', { path, body: { version_id: id } }),
    touches: ['secrets'],
    done: 'Restored. Applies to the next run.',
  })
  if (versions.error) return <ProblemNote error={versions.error} retry={() => void versions.refetch()} />
  if (!versions.data) return <SkeletonRows rows={3} />
  return (
    <div className="flex flex-col gap-3">
      <p className="text-soft">
        The current value and the latest earlier ones. A restored value becomes the newest version; the replaced value
        stays here.
      </p>
      <ol aria-label="Values" className="flex flex-col">
        {versions.data.map(({ id, version, masked_value, current, user_id, created_at }) => (
          <li key={id} className="flex min-h-11 items-center gap-3 border-b py-1.5 last:border-0">
            <span className="figures w-6 shrink-0 text-right text-faint">{version}</span>
            <span className="min-w-0 grow">
              <code className="block truncate font-mono text-[12px]">{masked_value}</code>
              <span className="block truncate text-[12px] text-faint">
                {nameOf(user_id)}, <Ago time={created_at} />
              </span>
            </span>
            {current ? (
              <Badge tone="ok">current</Badge>
            ) : (
              <Button
                busy={restore.isPending && restore.variables === id}
                disabled={restore.isPending}
                onClick={() => restore.mutate(id)}
              >
                Restore<span className="sr-only"> value {version}</span>
              </Button>
            )}
          </li>
        ))}
      </ol>
    </div>
  )
}
