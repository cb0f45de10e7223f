// The files of a task's output, found by the schema of the function that made it, saved in a folder.
import { resolve } from 'node:path'
import type { AppVersion } from '@millrace/contract/apps'
import type { Task } from '@millrace/contract/tasks'
import type { Api } from '../api/client.ts'
import type { Cli } from '../command.ts'
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

export const downloadOutputs = async (
  { shell, json }: Cli,
  api: Api,
  { id, output }: Task,
  folder: string,
): Promise<(Downloaded & { field: string })[]> => {
  // The stream carries no version; the whole task does.
  const task = await api.get<Task>(`/tasks/${id}`)
  const version = task.app_version as AppVersion | null
  const schema = version?.functions[task.function]?.output_schema
  const saved: (Downloaded & { field: string })[] = []
  for (const { field, url } of await outputFiles(schema, output)) {
    const file = await downloadFile(api, url, { folder: resolve(shell.cwd, folder) })
    if (!json) shell.err(`${field}: ${file.path}\n`)
    saved.push({ field, ...file })
  }
  return saved
}
