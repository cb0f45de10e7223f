// An app that records every execution before it works, and a flow in which every other step is that app: lost and
// repeated steps are visible.

export const ledgerCode = `
import { appendFileSync } from 'node:fs'
export class App {
  async run({ run, step, n = 0 }) {
    appendFileSync(process.env.MILLRACE_DATA_DIR + '/ledger.txt', run + ' ' + step + '\\n')
    await new Promise((resolve) => setTimeout(resolve, 5))
    return { run, step, n: n + 1 }
  }
}
`

const from = (nodeId: string, key: string) => ({ connection: { nodeId, key, type: '' } })

/** Alternating steps: the app, and an expression that passes its result on. The flow's output `n` is their number. */
export const ledgerFlow = (appId: string, steps: number) => {
  const ids = Array.from({ length: steps }, (_, index) => `s${index}`)
  const before = (index: number) => (index === 0 ? from('in', 'n') : from(`s${index - 1}`, index % 2 ? 'n' : ''))
  const isApp = (index: number) => index % 2 === 0
  const retry = { attempts: 50, backoff_ms: 100, factor: 1 }
  return {
    nodes: ['in', ...ids, 'out'].map((id, index) => ({
      id,
      type: id === 'in' ? 'inputNode' : id === 'out' ? 'outputNode' : isApp(index - 1) ? 'appNode' : 'utility',
      position: { x: 0, y: 0 },
    })),
    node_data: Object.fromEntries(
      ids.map((id, index) => [
        id,
        isApp(index) ? { app_id: appId, retry } : { utility: { expression: 'input.n + 1' } },
      ]),
    ),
    input: {
      ...Object.fromEntries(
        ids.map((id, index) => [
          id,
          isApp(index) ? { run: from('in', 'run'), step: index, n: before(index) } : { n: before(index) },
        ]),
      ),
      out: { n: from(`s${steps - 1}`, isApp(steps - 1) ? 'n' : '') },
    },
  }
}
