// A test world that can have several servers: files in a shared store, and the master key not in a file.

import { createWorld, type World } from '../../../testing/world.ts'
import { startStrictS3 } from '../../blobs/testing/strict-s3.ts'

/** The store is closed with the world. */
export const createFleetWorld = async (): Promise<World> => {
  const { settings, stop } = await startStrictS3()
  const world = await createWorld({
    fleet: true,
    settings: {
      MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
      S3_ENDPOINT: settings.endpoint ?? '',
      S3_BUCKET: settings.bucket,
      S3_REGION: settings.region,
      S3_ACCESS_KEY_ID: settings.accessKeyId,
      S3_SECRET_ACCESS_KEY: settings.secretAccessKey,
    },
  })
  return {
    ...world,
    close: async () => {
      await world.close()
      await stop()
    },
  }
}
