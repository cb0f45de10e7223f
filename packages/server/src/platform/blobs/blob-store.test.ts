// Guarantees: disk and S3 behave the same. S3 is tested with a third-party server and with a stricter one that also
// shows abandoned and concurrent uploads.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openBlobStore } from './open-blob-store.ts'
import { startNpmS3 } from './testing/npm-s3.ts'
import { describeObjects, describeWhole, type OpenedStore } from './testing/store-contract.ts'
import { startStrictS3 } from './testing/strict-s3.ts'

const onDisk = async (): Promise<OpenedStore> => {
  const dataDir = await mkdtemp(join(tmpdir(), 'millrace-blobs-'))
  const store = await openBlobStore({ dataDir })
  return { store, close: () => rm(dataDir, { recursive: true }) }
}

const onNpmS3 = async (): Promise<OpenedStore> => {
  const server = await startNpmS3()
  const store = await openBlobStore({ dataDir: '/nowhere', s3: server.settings })
  return { store, close: server.stop }
}

const onStrictS3 = async (): Promise<OpenedStore> => {
  const server = await startStrictS3({ pageSize: 2 })
  const store = await openBlobStore({ dataDir: '/nowhere', s3: server.settings })
  return { store, close: server.stop }
}

describeObjects('disk', onDisk)
describeObjects('S3 on the npm server', onNpmS3)
describeObjects('S3 on the strict server', onStrictS3)
describeWhole('disk', onDisk)
describeWhole('S3 on the strict server', onStrictS3)
