// `millrace admin verify-audit`, `verify-ledger` and `reindex`: integrity of stored data.
import { verifyAuditOf } from '#accounts/access/service.ts'
import { countDisagreements, reindex } from '#content/search/service.ts'
import { verifyLedger } from '#money/billing/service.ts'
import type { OperatorCommand } from './command.ts'

export const auditCheck: OperatorCommand = {
  usage: 'verify-audit',
  summary:
    'Check the audit log against its chain and the signed checkpoints in the data folder; shows the first invalid row',
  run: async (open) => {
    const verdict = await verifyAuditOf(open.platform)
    const text = verdict.ok
      ? `The audit log is intact: ${verdict.rows} rows${verdict.closed > 0 ? `, the first ${verdict.closed} of them in sealed segments` : ''}`
      : verdict.reason === 'forged_checkpoint'
        ? `Line ${verdict.seq} of audit-checkpoints.jsonl was not signed with this installation's master key`
        : `The audit log is broken at row ${verdict.seq} (${verdict.id}): ${verdict.reason}`
    return verdict.ok ? { text, json: verdict } : { text, json: verdict, failed: true }
  },
}

export const ledgerCheck: OperatorCommand = {
  usage: 'verify-ledger',
  summary: 'Check every account: chain, sums and balances; shows the first invalid transaction',
  run: async (open) => {
    const verdict = await verifyLedger(open.platform)
    const text = verdict.ok
      ? `The ledger is intact: ${verdict.transactions} transactions in ${verdict.accounts} accounts`
      : `The ledger of ${verdict.team_id} is broken at transaction ${verdict.seq} (${verdict.id}): ${verdict.reason}`
    return verdict.ok ? { text, json: verdict } : { text, json: verdict, failed: true }
  },
}

export const searchIndex: OperatorCommand = {
  usage: 'reindex',
  summary: 'Rebuild the search index from its sources; the server can be running',
  run: async (open) => {
    const rows = await reindex(open.platform.db)
    const wrong = await countDisagreements(open.platform.db)
    return { text: `${rows} rows were indexed; ${wrong} differ from the index`, json: { rows, wrong } }
  },
}
