// The connection to an S3 server: a lazily loaded SDK, one client, and the conversion of SDK errors.
import type { S3Client } from '@aws-sdk/client-s3'
import { fail } from '../core/errors.ts'
import type { S3Settings } from './s3-settings.ts'

export type S3Connection = {
  sdk: typeof import('@aws-sdk/client-s3')
  client: S3Client
  bucket: string
  /** The common parameters of object commands. */
  at(key: string): { Bucket: string; Key: string }
}

export const connectS3 = async (settings: S3Settings): Promise<S3Connection> => {
  const sdk = await import('@aws-sdk/client-s3')
  const client = new sdk.S3Client({
    region: settings.region,
    ...(settings.endpoint !== undefined && { endpoint: settings.endpoint }),
    forcePathStyle: settings.forcePathStyle,
    credentials: { accessKeyId: settings.accessKeyId, secretAccessKey: settings.secretAccessKey },
    // The SDK's default adds trailing checksums that several S3 servers do not support. Bodies are still protected,
    // because each request signs their SHA-256.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    maxAttempts: 3,
    // Until the response begins; a part of a few MiB is the longest request.
    requestHandler: { connectionTimeout: 5_000, requestTimeout: 120_000, throwOnRequestTimeout: true },
  })
  return { sdk, client, bucket: settings.bucket, at: (key) => ({ Bucket: settings.bucket, Key: key }) }
}

/** Converts an SDK error. The request is omitted, because its headers contain the signature. */
export const s3Answered = async <T>(pending: Promise<T>, signal?: AbortSignal): Promise<T> => {
  try {
    return await pending
  } catch (error) {
    signal?.throwIfAborted()
    const cause = new Error(`S3: ${errorName(error)}: ${error instanceof Error ? error.message : String(error)}`)
    throw fail('unavailable', { detail: 'The file storage refused the request', cause })
  }
}

/** `null` if the object does not exist; a missing bucket is an error. */
export const s3AnsweredOrNull = async <T>(pending: Promise<T>, signal?: AbortSignal): Promise<T | null> => {
  try {
    return await pending
  } catch (error) {
    if (errorName(error) === 'NoSuchKey' || (httpStatus(error) === 404 && errorName(error) === 'NotFound')) return null
    return s3Answered(Promise.reject(error), signal)
  }
}

export const errorName = (error: unknown): string => (error instanceof Error ? error.name : 'Error')

export const httpStatus = (error: unknown): number | undefined => {
  if (!(error instanceof Error) || !('$metadata' in error)) return undefined
  const metadata = error.$metadata
  if (typeof metadata !== 'object' || metadata === null || !('httpStatusCode' in metadata)) return undefined
  return typeof metadata.httpStatusCode === 'number' ? metadata.httpStatusCode : undefined
}
