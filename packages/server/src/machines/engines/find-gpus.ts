// The GPUs that the embedded engine finds on this machine, for the banner. The engine program reads them, and is only
// started where a vendor's tool is installed.
import { execFile } from 'node:child_process'
import { access, constants } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import type { SystemGpu } from '@millrace/contract/engine-frames'
import { parseUntrustedJson } from '@millrace/contract/parse-untrusted'
import { engineProgram } from './engine-process.ts'
import { engineEnvironment } from './engine-user.ts'

const tools = ['nvidia-smi', 'rocm-smi', 'system_profiler']
const timeoutMs = 15_000

const hasTool = async (path: string): Promise<boolean> => {
  const places = path.split(delimiter).flatMap((folder) => tools.map((tool) => join(folder, tool)))
  const found = await Promise.allSettled(places.map((place) => access(place, constants.X_OK)))
  return found.some(({ status }) => status === 'fulfilled')
}

export const findGpus = async (): Promise<readonly SystemGpu[]> => {
  const env = engineEnvironment(process.env, '/nonexistent')
  if (!(await hasTool(env.PATH ?? ''))) return []
  const options = { env, cwd: '/', timeout: timeoutMs }
  return promisify(execFile)(process.execPath, [engineProgram(), '--which-gpus'], options).then(
    ({ stdout }) => parseUntrustedJson(stdout) as SystemGpu[],
    () => [],
  )
}
