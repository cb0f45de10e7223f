// State that belongs to one transaction and is discarded with it: what a step has begun, for code that the step calls.

/** The state of one transaction; every context inside the transaction carries the same object. */
export type TransactionState = Map<symbol, unknown>

/** Reads the state of the current transaction, created on first use. Fails outside of a transaction. */
export const perTransaction = <T>(make: () => T): ((ctx: { readonly transaction: TransactionState | null }) => T) => {
  const key = Symbol('per transaction')
  return ({ transaction }) => {
    if (!transaction) throw new Error('This work needs a transaction')
    if (!transaction.has(key)) transaction.set(key, make())
    return transaction.get(key) as T
  }
}
