// What can be done about a refused credential: what is missing is said with the way to it, and where a person sits in
// front of the terminal, a scope that the sign-in lacks is asked for at once.
import { isScope, type Scope } from '@millrace/contract/scopes'
import { createApi } from '../api/client.ts'
import { type CliFailure, reworded } from '../failures.ts'
import type { Shell } from '../shell.ts'
import { askForScopes } from './device.ts'
import type { Target } from './resolve.ts'

type Place = {
  readonly shell: Shell
  readonly target: Target
  /** `login` as it has to be typed to reach this server. */
  command(words: string): string
}

const missingScope = ({ code, message }: CliFailure): Scope | undefined => {
  const named = code === 'insufficient_scope' ? /^missing scope: (\S+)$/.exec(message)?.[1] : undefined
  return named !== undefined && isScope(named) ? named : undefined
}

const wayOut = (failure: CliFailure, { target, command }: Place): string => {
  const scope = missingScope(failure)
  const unset = 'MILLRACE_API_KEY is set and wins over a sign-in: set another key, or unset it'
  if (failure.status === 401) return target.fromEnvironment ? unset : `sign in with \`${command('login')}\``
  if (failure.code === 'requires_sign_in')
    return target.fromEnvironment ? unset : `a key cannot; sign in with \`${command('login')}\``
  if (scope === undefined) return ''
  if (target.login?.kind === 'session') return `get it with \`${command(`login --scopes ${scope}`)}\``
  return `this key does not hold it; one that does: \`${command(`key create NAME --scopes ${scope}`)}\``
}

export type Refusals = {
  /** A token that the call may be tried again with; throws the refusal where there is none. */
  answer(failure: CliFailure): Promise<string>
  /** What was approved for one command ends with it. */
  forget(): Promise<void>
}

export const createRefusals = (place: Place): Refusals => {
  const { shell, target } = place
  const api = createApi(target.apiUrl, null)
  const approved = new Map<Scope, string>()
  const ask = async (scope: Scope): Promise<string | undefined> => {
    const wish = { scopes: [scope], what: 'This command', command: 'the command', kind: 'session' } as const
    const { session_token: token } = await askForScopes(api, shell, { ...wish, teamId: target.login?.team_id ?? '' })
    if (token !== undefined) approved.set(scope, token)
    return token
  }
  return {
    answer: async (failure) => {
      const scope = missingScope(failure)
      if (scope !== undefined && target.login?.kind === 'session' && shell.interactive) {
        const token = approved.get(scope) ?? (await ask(scope))
        if (token !== undefined) return token
      }
      const way = wayOut(failure, place)
      throw way === '' ? failure : reworded(failure, `${failure.message} (${way})`)
    },
    forget: async () => {
      for (const token of approved.values()) await api.call('oauth.revoke', { body: { token } })
      approved.clear()
    },
  }
}
