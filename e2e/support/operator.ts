// The operator's command, called like by a person.
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const program = fileURLToPath(new URL('../../packages/cli/bin/millrace.mjs', import.meta.url))
const run = promisify(execFile)

export type SignedIn = {
  user_id: string
  team_id: string
  namespace: string
  session_token: string
  sign_in_url: string
}

const call = async (dataDir: string, args: readonly string[], env: Readonly<Record<string, string>>) => {
  const { stdout } = await run(process.execPath, [program, ...args, '--data-dir', dataDir], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
  })
  return stdout
}

export const millrace = (dataDir: string, ...args: string[]): Promise<string> => call(dataDir, args, {})

/** `env` is the server's, for settings that are not in its data folder. */
export const signIn = async (
  dataDir: string,
  email: string,
  team: string,
  env: Readonly<Record<string, string>> = {},
): Promise<SignedIn> =>
  JSON.parse(await call(dataDir, ['admin', 'sign-in', '--email', email, '--team', team, '--json'], env)) as SignedIn
