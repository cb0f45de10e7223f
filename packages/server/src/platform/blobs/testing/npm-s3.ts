// An S3 server written by others (@20minutes/s3rver), which checks SigV4 signatures: proof that we speak the protocol and not
// only a dialect of our own. Its gaps: it miscounts the signature of requests on the bucket itself (lists), cannot abort or
// list multipart uploads, does not check body hashes, writes objects in place and takes the range 0-0 for the whole. What
// depends on those is tried against strict-s3.ts.
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
