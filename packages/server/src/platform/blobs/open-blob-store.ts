// Opens the store: S3 if configured, otherwise the data folder.
import { join } from 'node:path'
import type { Settings } from '../settings/settings.ts'
import type { BlobStore } from './blob-store.ts'
import { openDiskStore } from './disk.ts'
import type { S3StoreOptions } from './s3.ts'
import { type S3Settings, s3SettingsFrom } from './s3-settings.ts'

export type BlobSettings = { dataDir: string; s3?: S3Settings }

/** Throws a message for the operator if the S3 settings are incomplete. */
export const blobSettingsOf = (settings: Settings): BlobSettings => {
  const { S3_ENDPOINT, S3_BUCKET, S3_REGION, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY } = settings
  const S3_FORCE_PATH_STYLE = settings.S3_FORCE_PATH_STYLE?.toString()
  const found = s3SettingsFrom({
    S3_ENDPOINT,
    S3_BUCKET,
    S3_REGION,
    S3_ACCESS_KEY_ID,
    S3_SECRET_ACCESS_KEY,
    S3_FORCE_PATH_STYLE,
  })
  if (found.kind === 'invalid')
    throw new Error(`The settings are not valid:\n${found.problems.map((problem) => `  ${problem}`).join('\n')}`)
  return { dataDir: settings.DATA_DIR, ...(found.kind === 'set' && { s3: found.settings }) }
}

export const openBlobStore = async (
  { dataDir, s3 }: BlobSettings,
  options: S3StoreOptions = {},
): Promise<BlobStore> => {
  if (!s3) return openDiskStore(join(dataDir, 'blobs'))
  const { openS3Store } = await import('./s3.ts')
  return openS3Store(s3, options)
}
