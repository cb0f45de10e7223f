// Handles a refused credential: adds a hint with the next step, and at a terminal requests a missing scope at once.
import { isScope, type Scope } from '@millrace/contract/scopes'
import { createApi } from '../api/client.ts'
import { type CliFailure, withHint } from '../failures.ts'
import type { Shell } from '../shell.ts'
import { askForScopes } from './device.ts'
import type { Target } from './resolve.ts'

type RefusalContext = {
  readonly shell: Shell
  readonly target: Target
  /** A command line that reaches this server. */
  command(words: string): string
}

const missingScope = ({ code, message }: CliFailure): Scope | undefined => {
  const named = code === 'insufficient_scope' ? /^missing scope: (\S+)$/.exec(message)?.[1] : undefined
  return named !== undefined && isScope(named) ? named : undefined
}

const nextStep = (failure: CliFailure, { target, command }: RefusalContext): string => {
  const scope = missingScope(failure)
  const unset = 'MILLRACE_API_KEY overrides the sign-in; set another key or unset it'
  if (failure.status === 401) return target.fromEnvironment ? unset : `Sign in with \`${command('login')}\``
  if (failure.code === 'requires_sign_in')
    return target.fromEnvironment ? unset : `An API key cannot do this; sign in with \`${command('login')}\``
  if (scope === undefined) return ''
  if (target.login?.kind === 'session') return `Get the scope with \`${command(`login --scopes ${scope}`)}\``
  return `Create a key with the scope: \`${command(`key create NAME --scopes ${scope}`)}\``
}

export type Refusals = {
  /** Returns a token to retry the call with, or throws the refusal. */
  answer(failure: CliFailure): Promise<string>
  /** Revokes the tokens that were approved for this command. */
  forget(): Promise<void>
}

export const createRefusals = (context: RefusalContext): Refusals => {
  const { shell, target } = context
  const api = createApi(target.apiUrl, null)
  const approved = new Map<Scope, string>()
  const ask = async (scope: Scope): Promise<string | undefined> => {
    const request = { scopes: [scope], what: 'This command', command: 'the command', kind: 'session' } as const
    const { session_token: token } = await askForScopes(api, shell, { ...request, teamId: target.login?.team_id ?? '' })
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
      const hint = nextStep(failure, context)
      throw hint === '' ? failure : withHint(failure, hint)
    },
    forget: async () => {
      for (const token of approved.values()) await api.call('oauth.revoke', { body: { token } })
      approved.clear()
    },
  }
}
