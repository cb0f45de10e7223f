// A third-party S3 server (@20minutes/s3rver) that verifies SigV4 signatures, which shows that we implement the
// protocol and not a dialect. Its gaps: wrong signatures for requests on the bucket (lists), no abort or list of
// multipart uploads, no check of body hashes, objects written in place, and range 0-0 returns the whole object.
// strict-s3.ts covers these.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import S3rver from '@20minutes/s3rver'
import type { S3Settings } from '../s3-settings.ts'

export type RunningS3 = { settings: S3Settings; stop(): Promise<void> }

export const startNpmS3 = async (): Promise<RunningS3> => {
  const directory = await mkdtemp(join(tmpdir(), 'millrace-s3rver-'))
  const bucket = 'millrace'
  const server = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory,
    vhostBuckets: false,
    configureBuckets: [{ name: bucket }],
  })
  const { port } = await server.run()
  return {
    settings: {
      endpoint: `http://127.0.0.1:${port}`,
      bucket,
      region: 'us-east-1',
      accessKeyId: 'S3RVER',
      secretAccessKey: 'S3RVER',
      forcePathStyle: true,
    },
    stop: async () => {
      await server.close()
      await rm(directory, { recursive: true, force: true })
    },
  }
}
