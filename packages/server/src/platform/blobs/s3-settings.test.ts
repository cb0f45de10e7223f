// Guarantees: an incomplete S3 configuration is reported completely and without secrets.
import { expect, test } from 'vitest'
import { s3SettingsFrom } from './s3-settings.ts'

const complete = { S3_BUCKET: 'b', S3_ACCESS_KEY_ID: 'id', S3_SECRET_ACCESS_KEY: 'hush' }
const settings = { bucket: 'b', region: 'us-east-1', accessKeyId: 'id', secretAccessKey: 'hush', forcePathStyle: false }
const endpoint = 'http://127.0.0.1:9000'

const cases: [claim: string, env: Record<string, string | undefined>, expected: unknown][] = [
  ['nothing', {}, { kind: 'unset' }],
  ['blanks', { S3_BUCKET: ' ', S3_ENDPOINT: '' }, { kind: 'unset' }],
  ['Amazon', complete, { kind: 'set', settings }],
  ['a region', { ...complete, S3_REGION: 'eu-1' }, { kind: 'set', settings: { ...settings, region: 'eu-1' } }],
  [
    'an endpoint means path style',
    { ...complete, S3_ENDPOINT: endpoint },
    { kind: 'set', settings: { ...settings, endpoint, forcePathStyle: true } },
  ],
  [
    'unless configured otherwise',
    { ...complete, S3_ENDPOINT: endpoint, S3_FORCE_PATH_STYLE: 'false' },
    { kind: 'set', settings: { ...settings, endpoint } },
  ],
  [
    'path style by number',
    { ...complete, S3_FORCE_PATH_STYLE: '1' },
    { kind: 'set', settings: { ...settings, forcePathStyle: true } },
  ],
  [
    'every problem at once',
    { S3_ENDPOINT: 'ftp://x', S3_SECRET_ACCESS_KEY: 'hush', S3_FORCE_PATH_STYLE: 'maybe' },
    {
      kind: 'invalid',
      problems: [
        'S3_BUCKET is required when files are stored in S3',
        'S3_ACCESS_KEY_ID is required when files are stored in S3',
        'S3_ENDPOINT must be an http or https URL',
        'S3_FORCE_PATH_STYLE must be true or false',
      ],
    },
  ],
]
test.each(cases)('%s', (_, env, expected) => expect(s3SettingsFrom(env)).toEqual(expected))
