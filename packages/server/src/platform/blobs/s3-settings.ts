// The S3 part of the configuration. Pure: the environment is read in main.mjs and handed in.

export type S3Settings = {
  /** Absent for Amazon itself. */
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

/** `unset` (the disk is used) only when no S3 setting is there at all: half a configuration is a mistake to report. */
export const s3SettingsFrom = (env: Readonly<Record<string, string | undefined>>): S3SettingsResult => {
  const value = (name: (typeof names)[number]): string => env[name]?.trim() ?? ''
  if (names.every((name) => value(name) === '')) return { kind: 'unset' }

  const problems = (['S3_BUCKET', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'] as const)
    .filter((name) => value(name) === '')
    .map((name) => `${name} is required when files are kept in S3`)
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
      // Servers other than Amazon's rarely have a DNS name per bucket.
      forcePathStyle: pathStyle === '' ? endpoint !== '' : pathStyle === 'true' || pathStyle === '1',
    },
  }
}

const isHttpUrl = (text: string): boolean => /^https?:$/.test(URL.parse(text)?.protocol ?? '')
