// Selects the provider of a machine.
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx, Platform } from '#platform/core/ctx.ts'
import { perPlatform } from '#platform/core/per-platform.ts'
import { brokerNamed } from '../instances/service.ts'
import { createHttpProvider } from './http-provider.ts'
import { createLocalProvider, type LocalProvider, localHost } from './local-provider.ts'
import type { Provider } from './provider.ts'

type Local = { provider: LocalProvider; host: string }

const locals = perPlatform<{ opened: Promise<Local> | null }>(() => ({ opened: null }))

/** The provider for this server's machine, created on first use. */
export const localOf = (ctx: Pick<Platform, 'settings' | 'log' | 'extensions'>): Promise<Local> => {
  const slot = locals(ctx)
  slot.opened ??= localHost(ctx.settings).then((host) => ({
    provider: createLocalProvider(ctx.settings, ctx.log),
    host,
  }))
  return slot.opened
}

export const hostFor = async (ctx: Ctx<Actor>, kind: string): Promise<string> =>
  kind === 'local' ? (await localOf(ctx)).host : ''

export const providerOf = async (ctx: Ctx<Actor>, machine: { kind: string; cloud: string }): Promise<Provider> => {
  if (machine.kind === 'local') return (await localOf(ctx)).provider
  return createHttpProvider(await brokerNamed(ctx, machine.cloud))
}
