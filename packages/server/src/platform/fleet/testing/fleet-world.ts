// A world that may be one of several servers: its files lie in a store that all of them reach, its key is no file.

import { createWorld, type World } from '../../../testing/world.ts'
import { startStrictS3 } from '../../blobs/testing/strict-s3.ts'

/** The store goes with the world. */
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
