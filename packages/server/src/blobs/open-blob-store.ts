// Chooses the store: S3 when it is configured, otherwise the data folder.
import { join } from 'node:path'
import type { BlobStore } from './blob-store.ts'
import { openDiskStore } from './disk.ts'
import type { S3StoreOptions } from './s3.ts'
import type { S3Settings } from './s3-settings.ts'

export type BlobSettings = { dataDir: string; s3?: S3Settings }

export const openBlobStore = async (
  { dataDir, s3 }: BlobSettings,
  options: S3StoreOptions = {},
): Promise<BlobStore> => {
  if (!s3) return openDiskStore(join(dataDir, 'blobs'))
  const { openS3Store } = await import('./s3.ts')
  return openS3Store(s3, options)
}
