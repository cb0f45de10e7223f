// Loads the published client like a bundler. Its files import each other without extensions, which Node rejects: a
// resolve hook adds them for this package.
import { registerHooks } from 'node:module'

const own = '/node_modules/@inferencesh/sdk/dist/'

registerHooks({
  resolve: (specifier, context, next) => {
    const isOwn = specifier.startsWith('.') && context.parentURL?.includes(own) && !specifier.endsWith('.js')
    return next(isOwn ? `${specifier}.js` : specifier, context)
  },
})

export const sdk = await import('@inferencesh/sdk')

type TaskStatus = 'Queued' | 'Running' | 'Completed' | 'Failed' | 'Cancelled'

/** The client's own numbers; its type files also omit extensions, so the compiler does not see them. */
export const taskStatus = sdk as unknown as Readonly<Record<`TaskStatus${TaskStatus}`, number>>
