// An artifact in a sandboxed frame: it can run its own scripts but cannot access the console.
import { useSession } from '../shell/session.tsx'
import { useIsDark } from '../shell/theme.ts'
import { classes } from '../ui/classes.ts'

export const useArtifactAddress = (id: string, version: string): string => {
  const dark = useIsDark()
  const { team } = useSession()
  return `/artifacts/${id}/render?version=${version}&theme=${dark ? 'dark' : 'light'}&team=${team.id}`
}

export const ArtifactFrame = ({ address, title, className }: { address: string; title: string; className: string }) => (
  <iframe
    key={address}
    title={title}
    src={address}
    sandbox="allow-scripts"
    className={classes('w-full rounded-lg border bg-surface', className)}
  />
)
