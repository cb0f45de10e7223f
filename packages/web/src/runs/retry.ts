// A new run like an existing one. Pure.
import type { Task } from '@millrace/contract/tasks'

/** Without a version: the new run uses the current version of the app. */
export const retryOf = ({ app_id, function: fn, input, setup, app_variant }: Task) => ({
  app_id,
  function: fn,
  input: (input ?? {}) as Record<string, unknown>,
  ...(setup === null || setup === undefined ? {} : { setup: setup as Record<string, unknown> }),
  ...(app_variant === '' ? {} : { variant: app_variant }),
})
