// Checks the addresses of a provider before they are stored. Ordinary host names are not resolved here, because the
// outbound guard checks every request. Plain http is allowed only for hosts that the operator opened and for this
// machine.
import { isIP } from 'node:net'
import type { Ctx } from '#platform/core/ctx.ts'
import { fail } from '#platform/core/errors.ts'
import { comparableHost, parsePrivateHosts } from '#platform/outbound/policy.ts'

const isThisMachine = (host: string): boolean =>
  host === 'localhost' || host.endsWith('.localhost') || host === '::1' || /^127(\.\d+){3}$/.test(host)

const isOpened = ({ settings }: Pick<Ctx, 'settings'>, host: string): boolean => {
  const { allow } = parsePrivateHosts(settings.ALLOW_PRIVATE_HOSTS.join(','))
  return allow.any || allow.hosts.has(host) || (isIP(host) !== 0 && allow.networks.has(host))
}

export const assertAddresses = async (
  ctx: Pick<Ctx, 'settings' | 'outbound'>,
  addresses: readonly string[],
  field = 'specs',
): Promise<void> => {
  for (const address of new Set(addresses)) {
    const { protocol, hostname } = new URL(address)
    const host = comparableHost(hostname)
    if (protocol === 'http:' && !isThisMachine(host) && !isOpened(ctx, host))
      throw fail('validation_error', { detail: `${field}: ${address} must be an https address`, meta: { field } })
    if (isThisMachine(host) || isIP(host) !== 0) await ctx.outbound.checkUrl(address)
  }
}
