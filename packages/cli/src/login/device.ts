// Signs in through a browser. If a browser can open here, the program polls for the approval. Otherwise the person
// enters the six digits of the approval page, which only this program can redeem.
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { DeviceAuthorization, DeviceCredential } from '@millrace/contract/device'
import type { Scope } from '@millrace/contract/scopes'
import type { Static } from 'typebox'
import type { Api } from '../api/client.ts'
import { configFolder, readPrivateJson, removePrivate, writePrivateJson } from '../config-folder.ts'
import { exitCodes } from '../exit-codes.ts'
import { CliFailure, usage } from '../failures.ts'
import type { Shell } from '../shell.ts'
import { askText, readLine } from './ask.ts'
import { newPkce } from './pkce.ts'

type Started = Static<typeof DeviceAuthorization>

const pendingFile = 'pending-login.json'
type Pending = { api_url: string; verifier: string; expires_at_ms: number }

const refused = (message: string) => new CliFailure(message, { exitCode: exitCodes.refused, code: 'access_denied' })

/** Whether a browser opened here is visible to the person. */
export const hasBrowser = ({
  env,
  platform,
  interactive,
}: Pick<Shell, 'env' | 'platform' | 'interactive'>): boolean => {
  if (!interactive || env.SSH_CONNECTION || env.SSH_TTY) return false
  return platform === 'darwin' || platform === 'win32' || Boolean(env.DISPLAY || env.WAYLAND_DISPLAY)
}

// --- With a browser -------------------------------------------------------------------------------------------------

/** The preselection of the approval page: the workspace and, if given, exactly these scopes. */
export type ApprovalRequest = { readonly teamId?: string; readonly scopes?: readonly Scope[] }

const approvalFields = ({ teamId = '', scopes }: ApprovalRequest) => ({
  ...(teamId === '' ? {} : { team_id: teamId }),
  ...(scopes === undefined ? {} : { scopes: [...scopes] }),
})

export const signInByBrowser = async (
  api: Api,
  shell: Shell,
  request: ApprovalRequest = {},
): Promise<DeviceCredential> => {
  const started = await api.call('device.start', { body: { token_kind: 'session', ...approvalFields(request) } })
  shell.err(`Approve this sign-in in your browser: ${started.approve_url}\nCode: ${started.user_code}\n`)
  shell.openUrl(started.approve_url)
  return awaitApproval(api, shell, started, 'millrace login')
}

type Need = { kind: 'session' | 'api_key'; scopes: readonly Scope[]; teamId: string; command: string; what: string }

/** Requests a credential with exactly these scopes, for a command that needs more than the sign-in has. */
export const askForScopes = async (
  api: Api,
  shell: Shell,
  { kind, scopes, teamId, command, what }: Need,
): Promise<DeviceCredential> => {
  const started = await api.call('device.start', { body: { token_kind: kind, ...approvalFields({ teamId, scopes }) } })
  shell.err(
    `${what} needs ${scopes.join(', ')}, which this sign-in does not have.\nApprove them in a browser: ${started.approve_url}\nCode: ${started.user_code}\n`,
  )
  if (hasBrowser(shell)) shell.openUrl(started.approve_url)
  return awaitApproval(api, shell, started, command)
}

const awaitApproval = async (api: Api, shell: Shell, started: Started, command: string): Promise<DeviceCredential> => {
  const endsAtMs = shell.now().getTime() + started.expires_in * 1000
  while (shell.now().getTime() < endsAtMs) {
    await sleep(started.interval * 1000)
    const polled = await api.call('device.poll', { path: { device_code: started.device_code } })
    if (polled.status === 'approved') return polled
    if (polled.status === 'denied') throw refused('The request was denied')
    if (polled.status === 'expired') break
  }
  throw refused(`The request was not approved in time; run \`${command}\` again`)
}

// --- Without one ----------------------------------------------------------------------------------------------------

/** Stores the verifier, so that a later `millrace login --code` can finish the sign-in. */
export const startClaim = async (api: Api, shell: Shell, request: ApprovalRequest = {}): Promise<Started> => {
  const { verifier, challenge } = newPkce()
  const started = await api.call('device.start', {
    body: {
      token_kind: 'session',
      code_challenge: challenge,
      code_challenge_method: 'S256',
      ...approvalFields(request),
    },
  })
  const pending: Pending = {
    api_url: api.url,
    verifier,
    expires_at_ms: shell.now().getTime() + started.expires_in * 1000,
  }
  await writePrivateJson(configFolder(shell), pendingFile, pending)
  return started
}

export const finishClaim = async (api: Api, shell: Shell, code: string): Promise<DeviceCredential> => {
  const digits = code.replaceAll(/[\s-]/g, '')
  if (!/^\d{6}$/.test(digits)) throw usage('The code must be the six digits shown after approval')
  const folder = configFolder(shell)
  const pending = (await readPrivateJson(join(folder, pendingFile))) as Pending | null
  if (pending === null || pending.api_url !== api.url || pending.expires_at_ms < shell.now().getTime())
    throw refused('No sign-in is pending; run `millrace login` first')
  const credential = await api.call('device.claim', { body: { code: digits, code_verifier: pending.verifier } })
  await removePrivate(folder, pendingFile)
  return credential
}

/** Null if no code was entered; `--code` can still finish the sign-in. */
export const signInByCode = async (
  api: Api,
  shell: Shell,
  request: ApprovalRequest = {},
): Promise<DeviceCredential | null> => {
  const started = await startClaim(api, shell, request)
  shell.err(`Approve this sign-in in a browser: ${started.approve_url}\nThe page then shows a six-digit code.\n`)
  const code = shell.interactive ? await askText('Six-digit code') : await readLine(shell, started.expires_in * 1000)
  return code === null || code === '' ? null : finishClaim(api, shell, code)
}
