// `millrace admin storage`: the size of each table and its retention.
import { retentionRules, ruleInWords } from '#platform/db/retention-rules.ts'
import { listTableSizes } from '#surfaces/figures/store.ts'
import type { OperatorCommand } from './command.ts'

const shownTables = 20

const ruleOf = (table: string): string => {
  const rule = Object.entries(retentionRules).find(([name]) => name === table)?.[1]
  return rule ? ruleInWords(rule) : ''
}

export const storage: OperatorCommand = {
  usage: 'storage',
  summary: 'Show the size of each table and how long its rows are retained',
  run: async ({ platform }) => {
    const tables = (await listTableSizes(platform.db)).map((table) => ({ ...table, rule: ruleOf(table.name) }))
    const total = tables.reduce((sum, { bytes }) => sum + bytes, 0)
    const lines = tables
      .slice(0, shownTables)
      .map(({ name, bytes, rule }) => `${(bytes / 1e6).toFixed(1).padStart(10)} MB  ${name.padEnd(20)} ${rule}`)
    const text = [...lines, `${(total / 1e6).toFixed(1).padStart(10)} MB  in total`].join('\n')
    return { text, json: { total_bytes: total, tables } }
  },
}
