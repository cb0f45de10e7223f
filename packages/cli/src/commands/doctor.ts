// Checks the connection to a server: address, clock, versions and sign-in.
import type { Cli, Command, Result } from '../command.ts'
import { exitCodes } from '../exit-codes.ts'
import { CliFailure } from '../failures.ts'
import { version } from '../version.ts'

type Finding = { readonly check: string; readonly ok: boolean; readonly detail: string }

const timeoutMs = 10_000
/** Signed links and authenticator codes tolerate about this difference. */
const maxClockSkewSeconds = 30

const reach = async (cli: Cli, url: string): Promise<{ findings: Finding[]; reached: boolean }> => {
  const sentAt = cli.shell.now().getTime()
  const response = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(timeoutMs) }).catch((error: unknown) => {
    const { cause } = error as { cause?: { code?: string } }
    return `no answer (${cause?.code ?? (error instanceof Error ? error.message : 'unknown')})`
  })
  if (typeof response === 'string')
    return { findings: [{ check: 'server', ok: false, detail: `${url}: ${response}` }], reached: false }
  const gotAt = cli.shell.now().getTime()
  const health = (await response.json().catch(() => ({}))) as { status?: string; version?: string }
  if (!response.ok || health.status !== 'ok') {
    const detail = `${url} answers ${response.status} and is not a Millrace server`
    return { findings: [{ check: 'server', ok: false, detail }], reached: false }
  }
  return {
    findings: [
      { check: 'server', ok: true, detail: `${url} answers in ${gotAt - sentAt} ms` },
      clockOf(response.headers.get('date'), (sentAt + gotAt) / 2),
      versionsOf(health.version ?? 'unknown'),
    ],
    reached: true,
  }
}

/** The `Date` header has whole seconds. */
const clockOf = (date: string | null, nowMs: number): Finding => {
  const apart = Math.round((nowMs - Date.parse(date ?? '')) / 1_000)
  if (Number.isNaN(apart)) return { check: 'clock', ok: false, detail: 'the response of the server has no Date header' }
  const ok = Math.abs(apart) <= maxClockSkewSeconds
  const detail =
    Math.abs(apart) <= 1
      ? 'in sync with the server'
      : `${Math.abs(apart)} s ${apart > 0 ? 'ahead of' : 'behind'} the server`
  return { check: 'clock', ok, detail }
}

/** Compatible versions share the minor version before 1.0 and the major version afterwards. */
const versionsOf = (served: string): Finding => {
  const significant = (text: string) =>
    text
      .split('.')
      .slice(0, text.startsWith('0.') ? 2 : 1)
      .join('.')
  const ok = significant(served) === significant(version)
  return {
    check: 'versions',
    ok,
    detail: `server ${served}, CLI ${version}${ok ? '' : '; install the CLI of the server'}`,
  }
}

const signInOf = async (cli: Cli): Promise<Finding> => {
  const api = cli.openApi()
  if (api.login === null)
    return { check: 'sign-in', ok: false, detail: `not signed in to this server; run \`${cli.command('login')}\`` }
  try {
    const { user, team } = await api.call('me.get', {}, { signal: AbortSignal.timeout(timeoutMs) })
    return { check: 'sign-in', ok: true, detail: `${user.email || user.name} in ${team?.username ?? 'no workspace'}` }
  } catch (error) {
    return { check: 'sign-in', ok: false, detail: error instanceof CliFailure ? error.message : `${error}` }
  }
}

const doctor: Command = {
  words: 'doctor',
  summary: 'Check address, clock, versions and sign-in between this machine and the server',
  example: 'millrace doctor --api https://mill.example',
  run: async (cli): Promise<Result> => {
    const { url } = cli.openApi()
    const { findings, reached } = await reach(cli, url)
    const all = reached ? [...findings, await signInOf(cli)] : findings
    const healthy = all.every(({ ok }) => ok)
    const rows = all.map(({ check, ok, detail }) => [ok ? 'ok' : 'failed', check, detail])
    return {
      text: cli.table(['STATUS', 'CHECK', 'DETAIL'], rows),
      json: { api_url: url, healthy, checks: all },
      exitCode: healthy ? exitCodes.ok : reached ? exitCodes.failed : exitCodes.unavailable,
    }
  },
}

export const doctorCommands = [doctor]
