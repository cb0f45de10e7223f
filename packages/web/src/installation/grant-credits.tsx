// Grants credits to a workspace.
import type { Workspace } from '@millrace/contract/installation'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { microcentsIn, moneyText } from '../money/amounts.ts'
import { useAct } from '../ui/act.ts'
import { TextField } from '../ui/field.tsx'
import { Form } from '../ui/form.tsx'
import { Panel } from '../ui/page.tsx'

export const GrantCredits = ({ workspace: { id, name } }: { workspace: Workspace }) => {
  const [amount, setAmount] = useState('')
  const [notes, setNotes] = useState('')
  const microcents = microcentsIn(amount)
  const isAmount = microcents !== null && microcents > 0
  const grant = useAct({
    work: () =>
      call('billing.grant', { body: { team_id: id, amount: microcents ?? 0, ...(notes === '' ? {} : { notes }) } }),
    touches: ['workspaces', 'billing'],
    done: `Granted ${moneyText(microcents ?? 0)} to ${name}`,
    after: () => {
      setAmount('')
      setNotes('')
    },
    quiet: true,
  })
  return (
    <Panel title="Grant credits">
      <Form act={grant} submit="Grant credits" disabled={!isAmount}>
        <TextField
          label="Amount in dollars"
          required
          inputMode="decimal"
          placeholder="25.00"
          autoComplete="off"
          value={amount}
          fault={amount !== '' && !isAmount ? 'Enter an amount' : undefined}
          onChange={(event) => setAmount(event.target.value)}
        />
        <TextField
          label="Reason"
          help="Shown in the transactions of the workspace"
          maxLength={1000}
          value={notes}
          onChange={(event) => setNotes(event.target.value)}
        />
      </Form>
    </Panel>
  )
}
