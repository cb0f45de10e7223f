// The configuration folder, with files that only their owner can read.
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { CliFailure } from './failures.ts'
import type { Shell } from './shell.ts'

export const configFolder = ({ env, home }: Pick<Shell, 'env' | 'home'>): string =>
  env.MILLRACE_CONFIG_DIR || join(env.XDG_CONFIG_HOME || join(home, '.config'), 'millrace')

export const readPrivateJson = async (path: string): Promise<unknown> => {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
  if (text === null) return null
  try {
    return JSON.parse(text)
  } catch {
    throw new CliFailure(`${path} is damaged; remove it and sign in again`)
  }
}

/** Replaces the whole file, so that a crash leaves either the old or the new one. */
export const writePrivateJson = async (folder: string, name: string, value: unknown): Promise<void> => {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const temporary = join(folder, `${name}.${process.pid}.new`)
  await writeFile(temporary, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 })
  await rename(temporary, join(folder, name))
}

export const removePrivate = (folder: string, name: string): Promise<void> => rm(join(folder, name), { force: true })
