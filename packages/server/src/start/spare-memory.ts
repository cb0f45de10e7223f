// Runs one garbage collection after the start. Starting leaves much garbage, and an idle server would never collect it:
// this saves a third of the memory. Node.js exposes the collector only with a flag.
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** After this time, the shipped apps are deployed and the engine has registered. */
const settledMs = 2_000

export const spareMemory = (): void => {
  const timer = setTimeout(() => {
    setFlagsFromString('--expose-gc')
    const collect = runInNewContext('gc') as (options: object) => Promise<void>
    void collect({ type: 'major', execution: 'async', flavor: 'last-resort' })
  }, settledMs)
  timer.unref()
}
