// `--jq`: an answer through jq's own language. The program is jq itself, loaded when it is asked for.
import { usage } from './failures.ts'

/** One line per result; text without its quotes, as a shell wants it. */
export const filterJson = async (value: unknown, filter: string): Promise<string> => {
  const { raw } = await import('jq-wasm')
  return raw(JSON.stringify(value), filter, ['-r', '-c']).catch((error: unknown) => {
    const [first = 'it is no jq filter'] = (error instanceof Error ? error.message : `${error}`).split('\n')
    throw usage(`--jq: ${first.replace(/^jq: (error: )?/, '')}`)
  })
}
