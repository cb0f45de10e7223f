// Who sees a thing of the workspace, chosen from what the server would let this person choose.
import type { Visibility } from '@millrace/contract/common'
import { useAct } from '../ui/act.ts'
import { classes } from '../ui/classes.ts'
import { type FieldIds, inputLook } from '../ui/field.tsx'
import { useSession } from './session.tsx'
import { type Rule, visibilitiesFor, visibilityWords } from './visibilities.ts'

type SeenByProps = {
  row: { team_id: string; user_id: string; visibility: Visibility }
  /** Tells the server, which answers with the row as it is then. */
  show: (visibility: Visibility) => Promise<{ visibility: string }>
  /** First parts of the keys of the queries that hold it. */
  touches: readonly string[]
  rule?: Rule
  /** How whoever made it is called. */
  maker?: string
  /** What a label that is to be seen hands on; without one it names itself. */
  ids?: FieldIds
}

export const SeenBy = ({ row, show, touches, rule = 'open', maker = visibilityWords.private, ids }: SeenByProps) => {
  const { me, team, isAdmin } = useSession()
  const words = { ...visibilityWords, private: maker }
  const set = useAct({
    work: show,
    touches,
    done: ({ visibility }) => `Seen by ${words[visibility as Visibility]} from now on`,
  })
  const held = (set.data?.visibility ?? row.visibility) as Visibility
  if (row.team_id !== team.id) return words[held]
  const chooser = { decides: isAdmin || row.user_id === me.user.id, inOrganization: team.org_id !== undefined }
  return (
    <select
      {...(ids ?? { 'aria-label': 'Seen by' })}
      className={classes(inputLook, 'h-7')}
      value={held}
      disabled={set.isPending}
      onChange={(event) => set.mutate(event.target.value as Visibility)}
    >
      {visibilitiesFor(held, chooser, rule).map((each) => (
        <option key={each} value={each}>
          {words[each]}
        </option>
      ))}
    </select>
  )
}
