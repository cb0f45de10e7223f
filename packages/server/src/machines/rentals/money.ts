// The money of a rental. The provider's account gets what the workspace pays, and gives back what was not used.
import { postTransaction } from '#money/billing/service.ts'
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'

type Rental = { readonly team_id: string; readonly engine_id: string; readonly cloud: string; readonly user_id: string }

/** `amount` is what the workspace's balance moves by. Nothing is written for nothing. */
export const moveMoney = async (
  ctx: Ctx<Actor>,
  rental: Rental,
  type: 'debit' | 'refund' | 'reversal',
  amount: number,
  rest: { notes?: string; reversalId?: string } = {},
): Promise<string> => {
  if (amount === 0) return ''
  const { id } = await postTransaction(ctx, {
    teamId: rental.team_id,
    type,
    reference: 'engine',
    referenceId: rental.engine_id,
    userId: rental.user_id,
    entries: [
      { account: 'workspace', owner: rental.team_id, amount },
      { account: 'provider', owner: rental.cloud, amount: -amount },
    ],
    ...rest,
  })
  return id
}
