// The S3 settings. Pure: the environment is an argument.

export type S3Settings = {
  /** Absent for Amazon S3. */
  endpoint?: string
  bucket: string
  region: string
  accessKeyId: string
  secretAccessKey: string
  forcePathStyle: boolean
}

export type S3SettingsResult =
  | { kind: 'unset' }
  | { kind: 'set'; settings: S3Settings }
  | { kind: 'invalid'; problems: string[] }

const names = [
  'S3_ENDPOINT',
  'S3_BUCKET',
  'S3_REGION',
  'S3_ACCESS_KEY_ID',
  'S3_SECRET_ACCESS_KEY',
  'S3_FORCE_PATH_STYLE',
] as const

/** `unset` (files on disk) only if no S3 setting is present; an incomplete configuration is an error. */
export const s3SettingsFrom = (env: Readonly<Record<string, string | undefined>>): S3SettingsResult => {
  const value = (name: (typeof names)[number]): string => env[name]?.trim() ?? ''
  if (names.every((name) => value(name) === '')) return { kind: 'unset' }

  const problems = (['S3_BUCKET', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'] as const)
    .filter((name) => value(name) === '')
    .map((name) => `${name} is required when files are stored in S3`)
  const endpoint = value('S3_ENDPOINT')
  if (endpoint !== '' && !isHttpUrl(endpoint)) problems.push('S3_ENDPOINT must be an http or https URL')
  const pathStyle = value('S3_FORCE_PATH_STYLE').toLowerCase()
  if (!['', 'true', 'false', '1', '0'].includes(pathStyle)) problems.push('S3_FORCE_PATH_STYLE must be true or false')
  if (problems.length > 0) return { kind: 'invalid', problems }

  return {
    kind: 'set',
    settings: {
      ...(endpoint !== '' && { endpoint }),
      bucket: value('S3_BUCKET'),
      region: value('S3_REGION') || 'us-east-1',
      accessKeyId: value('S3_ACCESS_KEY_ID'),
      secretAccessKey: value('S3_SECRET_ACCESS_KEY'),
      // Other servers than Amazon's rarely have a DNS name per bucket.
      forcePathStyle: pathStyle === '' ? endpoint !== '' : pathStyle === 'true' || pathStyle === '1',
    },
  }
}

const isHttpUrl = (text: string): boolean => /^https?:$/.test(URL.parse(text)?.protocol ?? '')
