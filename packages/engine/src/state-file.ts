// The engine's persistent state: its id, and the key pair for its secrets. Only its owner can read the file. It is
// replaced atomically, so a crash leaves the old or the new state.

import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { newSealingKeys, type SealingKeys } from '@millrace/contract/sealed-box'
import { parseJson } from './bounded-json.ts'

export type EngineState = { engineId?: string; keys: SealingKeys }

export const loadState = async (path: string): Promise<EngineState> => {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (text !== undefined) return parseState(text, path)
  const state = { keys: newSealingKeys() }
  await saveState(path, state)
  return state
}

export const saveState = async (path: string, state: EngineState): Promise<void> => {
  await mkdir(dirname(path), { recursive: true })
  const fresh = `${path}.${process.pid}.new`
  const text = JSON.stringify(
    { engine_id: state.engineId, public_key: state.keys.publicKey, private_key: state.keys.privateKey },
    null,
    2,
  )
  await writeFile(fresh, `${text}\n`, { mode: 0o600 })
  await rename(fresh, path)
}

const parseState = (text: string, path: string): EngineState => {
  try {
    const value = parseJson(text) as Record<string, unknown>
    const { engine_id: engineId, public_key: publicKey, private_key: privateKey } = value
    if (typeof publicKey !== 'string' || typeof privateKey !== 'string') throw new Error('keys are missing')
    return { keys: { publicKey, privateKey }, ...(typeof engineId === 'string' && { engineId }) }
  } catch (error) {
    throw new Error(`the engine state in ${path} is damaged; move it away to register as a new engine`, {
      cause: error,
    })
  }
}
