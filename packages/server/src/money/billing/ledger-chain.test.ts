// Guarantees: a manipulated ledger is detected, with the changed transaction and the reason.
import { describe, expect, it } from 'vitest'
import { closeLedger, followLedger, type LedgerRow, ledgerHash, ledgerStart } from './ledger-chain.ts'

const sealed = (row: Omit<LedgerRow, 'hash'>): LedgerRow => ({ ...row, hash: ledgerHash({ ...row, hash: '' }) })

const row = (seq: number, amount: number, previous: string, entries?: LedgerRow['entries']): LedgerRow =>
  sealed({
    team_id: 't',
    seq,
    id: `id${seq}`,
    created_epoch: `1790000000.00000${seq}`,
    type: amount > 0 ? 'grant' : 'charge',
    amount,
    user_id: 'u',
    reference: '',
    reference_id: '',
    reversal_id: '',
    notes: 'a "note"',
    entries: entries ?? [
      ['platform', 'platform', -amount],
      ['workspace', 't', amount],
    ],
    previous_hash: previous,
  })

const first = row(1, 100, '')
const second = row(2, -30, first.hash)
const end = { seq: 2, hash: second.hash, balance: 70 }

describe('a ledger', () => {
  it('that is as it was posted', () => {
    expect(followLedger(ledgerStart, [first, second])).toEqual(end)
    expect(closeLedger(end, end)).toBeNull()
  })

  it.each<[string, LedgerRow[], string]>([
    ['an amount that was changed', [first, { ...second, amount: -3 }], 'edited'],
    ['entries that were changed', [first, { ...second, entries: [] }], 'edited'],
    ['a transaction that is gone', [second], 'missing'],
    ['a chain that was sealed anew from here on', [first, row(2, -30, 'other')], 'out_of_place'],
    ['entries that do not add up', [row(1, 100, '', [['workspace', 't', 100]])], 'unbalanced'],
    ['an amount that is not the workspace’s', [row(1, 100, '', [])], 'unbalanced'],
    ['a balance below zero', [row(1, -1, '')], 'overdrawn'],
  ])('%s', (_claim, rows, reason) => {
    expect(followLedger(ledgerStart, rows)).toMatchObject({ reason })
  })

  it.each([
    ['an account with a later transaction', { ...end, seq: 3 }, 'missing'],
    ['an account that knows another end', { ...end, hash: 'x' }, 'out_of_place'],
    ['an account that holds more', { ...end, balance: 71 }, 'wrong_balance'],
  ] as const)('%s', (_claim, account, reason) => {
    expect(closeLedger(end, account)).toMatchObject({ reason })
  })
})
