// How a run is called where it is listed. Pure.
import type { Task } from '@millrace/contract/tasks'

type AppSummary = { namespace?: string; name?: string; title?: string }

export const appOf = (task: Partial<Task>): AppSummary => (task.app ?? {}) as AppSummary

export const appNameOf = (task: Partial<Task>): string => {
  const { title, name, namespace } = appOf(task)
  if (title) return title
  if (namespace && name) return `${namespace}/${name}`
  // A flow that is run by itself has a task, but no app.
  return task.app_id?.slice(0, 8) || (task.sub_flow_run_id ? 'Flow' : 'deleted app')
}
