// How a run is called where it is listed. Pure.
import type { Task } from '@millrace/contract/tasks'

type AppSummary = { namespace?: string; name?: string; title?: string }

export const appOf = (task: Partial<Task>): AppSummary => (task.app ?? {}) as AppSummary

export const appNameOf = (task: Partial<Task>): string => {
  const { title, name, namespace } = appOf(task)
  return title || (namespace && name ? `${namespace}/${name}` : (task.app_id?.slice(0, 8) ?? 'deleted app'))
}
