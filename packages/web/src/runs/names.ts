// The name of a run in lists. Pure.
import type { Task } from '@millrace/contract/tasks'
import { strings } from './strings.ts'

type AppSummary = { namespace?: string; name?: string; title?: string }

export const appOf = (task: Partial<Task>): AppSummary => (task.app ?? {}) as AppSummary

export const appNameOf = (task: Partial<Task>): string => {
  const { title, name, namespace } = appOf(task)
  if (title) return title
  if (namespace && name) return `${namespace}/${name}`
  // The task of a flow run has no app.
  return task.app_id?.slice(0, 8) || (task.sub_flow_run_id ? strings.flow : strings.deletedApp)
}
