// The identity of this machine: an ed25519 key, created once and readable only by its owner.
import { generateKeyPairSync } from 'node:crypto'
import { configFolder, readPrivateJson, writePrivateJson } from '../config-folder.ts'
import type { Shell } from '../shell.ts'

export const identityFile = 'remote.json'

export type Identity = { public_key: string; private_key: string }

const newIdentity = (): Identity => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const raw = Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url')
  return {
    public_key: raw.toString('base64'),
    private_key: privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64'),
  }
}

export const loadIdentity = async (shell: Pick<Shell, 'env' | 'home'>): Promise<Identity> => {
  const folder = configFolder(shell)
  const stored = (await readPrivateJson(`${folder}/${identityFile}`)) as Identity | null
  if (stored) return stored
  const made = newIdentity()
  await writePrivateJson(folder, identityFile, made)
  return made
}
