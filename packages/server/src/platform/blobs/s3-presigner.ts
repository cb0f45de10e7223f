// Presigned URLs of S3. The exact size and the type can be signed (S3 has no maximum size for a plain PUT); the client
// must then send both as listed.
import type { PresignedRequest, Presigner } from './blob-store.ts'
import { assertBlobKey } from './keys.ts'
import type { S3Connection } from './s3-client.ts'

export const openPresigner = async ({ sdk, client, at }: S3Connection): Promise<Presigner> => {
  const { getSignedUrl } = await import('@aws-sdk/s3-request-presigner')
  return {
    async put(key, { expiresInSeconds, sizeBytes, contentType }): Promise<PresignedRequest> {
      assertBlobKey(key)
      const headers: Record<string, string> = {
        ...(contentType !== undefined && { 'content-type': contentType }),
        ...(sizeBytes !== undefined && { 'content-length': String(sizeBytes) }),
      }
      const command = new sdk.PutObjectCommand({
        ...at(key),
        ...(contentType !== undefined && { ContentType: contentType }),
        ...(sizeBytes !== undefined && { ContentLength: sizeBytes }),
      })
      const url = await getSignedUrl(client, command, {
        expiresIn: expiresInSeconds,
        // By default, the presigner does not sign the content type.
        signableHeaders: new Set(['host', ...Object.keys(headers)]),
      })
      return { method: 'PUT', url, headers }
    },
    async get(key, { expiresInSeconds, contentType, contentDisposition }): Promise<PresignedRequest> {
      assertBlobKey(key)
      const command = new sdk.GetObjectCommand({
        ...at(key),
        ...(contentType !== undefined && { ResponseContentType: contentType }),
        ...(contentDisposition !== undefined && { ResponseContentDisposition: contentDisposition }),
      })
      return { method: 'GET', url: await getSignedUrl(client, command, { expiresIn: expiresInSeconds }), headers: {} }
    },
  }
}
