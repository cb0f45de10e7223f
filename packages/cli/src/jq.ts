// `--jq` filters JSON with jq itself, which is loaded on demand.
import { usage } from './failures.ts'

/** One line per result; text without quotes. */
export const filterJson = async (value: unknown, filter: string): Promise<string> => {
  const { raw } = await import('jq-wasm')
  return raw(JSON.stringify(value), filter, ['-r', '-c']).catch((error: unknown) => {
    const [first = 'it is not a jq filter'] = (error instanceof Error ? error.message : `${error}`).split('\n')
    throw usage(`--jq: ${first.replace(/^jq: (error: )?/, '')}`)
  })
}
