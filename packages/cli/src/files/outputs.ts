// Saves the files of a task's output in a folder: those that the server lists and those that the schema marks.
import { resolve } from 'node:path'
import type { AppVersion } from '@millrace/contract/apps'
import type { Task } from '@millrace/contract/tasks'
import type { Api } from '../api/client.ts'
import type { Cli } from '../command.ts'
import { CliFailure } from '../failures.ts'
import { type Downloaded, downloadFile } from './download.ts'
import { mapFileValues } from './file-values.ts'

export type OutputFile = { readonly field: string; readonly url: string }

export const outputFiles = async (schema: unknown, output: unknown): Promise<OutputFile[]> => {
  const found: OutputFile[] = []
  await mapFileValues(schema, output, async (value, field) => {
    const url = typeof value === 'object' && value !== null && 'uri' in value ? value.uri : value
    if (typeof url === 'string' && url !== '') found.push({ field, url })
    return value
  })
  return found
}

type Saved = Downloaded & { field: string }

export const downloadOutputs = async ({ shell, json }: Cli, api: Api, task: Task, folder: string): Promise<Saved[]> => {
  const [stored, named] = await Promise.all([storedFiles(api, task.id), namedBySchema(api, task)])
  // Files that the app stores outside the server.
  const external = named.filter(({ url }) => !stored.some((file) => file.url === url))
  const saved: Saved[] = []
  for (const { field, url } of [...stored, ...external]) {
    const file = await downloadFile(api, url, { folder: resolve(shell.cwd, folder) })
    if (!json) shell.err(`${field}: ${file.path}\n`)
    saved.push({ field, ...file })
  }
  return saved
}

const storedFiles = async (api: Api, taskId: string): Promise<OutputFile[]> => {
  // A key that can run apps may lack the scope for files.
  const files = await api.call('tasks.files', { path: { id: taskId } }).catch((error: unknown) => {
    if (error instanceof CliFailure && error.code === 'insufficient_scope') return []
    throw error
  })
  return files.filter(({ direction }) => direction === 'output').map(({ field, uri }) => ({ field, url: uri }))
}

const namedBySchema = async (api: Api, { id, output }: Task): Promise<OutputFile[]> => {
  // The stream has no version; the whole task does.
  const task = await api.call('tasks.get', { path: { id } })
  const version = task.app_version as AppVersion | null
  return outputFiles(version?.functions[task.function]?.output_schema, output)
}
