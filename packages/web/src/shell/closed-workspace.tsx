// Shown when the workspace of the address refuses the person: the reason, and the workspaces that they can open.
import { useQuery } from '@tanstack/react-query'
import { callIn } from '../api/call.ts'
import { addressIn } from '../api/workspace-address.ts'
import { Page, Panel, ProblemNote, SkeletonRows } from '../ui/page.tsx'
import { strings } from './strings.ts'

const words = strings.closedWorkspace

export const ClosedWorkspace = ({ reason }: { reason: string }) => {
  const teams = useQuery({ queryKey: ['own-workspaces'], queryFn: () => callIn('')('teams.list') })
  return (
    <main>
      <Page title={words.title} note={words.text(reason)}>
        <Panel title={words.yours} flush>
          {teams.isPending ? <SkeletonRows rows={2} /> : null}
          {teams.error ? <ProblemNote error={teams.error} retry={() => void teams.refetch()} /> : null}
          <ul>
            {teams.data?.map(({ id, name, username }) => (
              <li key={id} className="border-b last:border-0">
                <a href={addressIn(id)} className="block px-3 py-2 text-accent hover:bg-hover">
                  {name || username}
                </a>
              </li>
            ))}
          </ul>
        </Panel>
      </Page>
    </main>
  )
}
