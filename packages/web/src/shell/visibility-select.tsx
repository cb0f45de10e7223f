// The visibility of a row, with the values that the server would let this person choose.
import type { Visibility } from '@millrace/contract/common'
import { useAct } from '../ui/act.ts'
import { classes } from '../ui/classes.ts'
import { type FieldIds, inputLook } from '../ui/field.tsx'
import { useSession } from './session.tsx'
import { type Rule, visibilityChoices, visibilityLabels, visibilityStrings } from './visibility.ts'
import { VisibilityOptions } from './visibility-field.tsx'

type VisibilitySelectProps = {
  row: { team_id: string; user_id: string; visibility: Visibility }
  /** Sends the change; the server returns the changed row. */
  save: (visibility: Visibility) => Promise<{ visibility: string }>
  /** First parts of the keys of the queries that hold the row. */
  touches: readonly string[]
  rule?: Rule
  /** From the visible label, where there is one. */
  ids?: FieldIds
}

export const VisibilitySelect = ({ row, save, touches, rule = 'open', ids }: VisibilitySelectProps) => {
  const { me, team, isAdmin } = useSession()
  const set = useAct({
    work: save,
    touches,
    done: ({ visibility }) => visibilityStrings.changed(visibility as Visibility),
  })
  const current = (set.data?.visibility ?? row.visibility) as Visibility
  if (row.team_id !== team.id) return visibilityLabels[current]
  const chooser = { isOwnerOrAdmin: isAdmin || row.user_id === me.user.id, inOrganization: team.org_id !== undefined }
  return (
    <select
      {...(ids ?? { 'aria-label': visibilityStrings.label })}
      className={classes(inputLook, 'h-7')}
      value={current}
      disabled={set.isPending}
      onChange={(event) => set.mutate(event.target.value as Visibility)}
    >
      <VisibilityOptions choices={visibilityChoices(current, chooser, rule)} />
    </select>
  )
}
