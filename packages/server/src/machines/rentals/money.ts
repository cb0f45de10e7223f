// Money of a rental. The provider's account receives the payments of the workspace and returns refunds.
import { postTransaction } from '#money/billing/service.ts'
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'

type Rental = { readonly team_id: string; readonly engine_id: string; readonly cloud: string; readonly user_id: string }

/** `amount` is the change of the workspace's balance. Zero writes no transaction. */
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
