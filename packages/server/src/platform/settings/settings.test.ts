// Guarantees: settings come from flags and environment, flags override, and one message names all violations.
import { expect, it } from 'vitest'
import { readSettings, SettingsError, withPort } from './settings.ts'

it('has working defaults', () => {
  const settings = readSettings({})
  expect(settings).toMatchObject({
    PORT: 7700,
    HOST: '127.0.0.1',
    BASE_URL: 'http://127.0.0.1:7700',
    APP_URL: 'http://127.0.0.1:7700',
  })
  expect(settings.DATA_DIR).toMatch(/\.millrace$/)
})

it('flags in both notations override the environment', () => {
  expect(readSettings({ PORT: '1' }, ['--port', '2', '--log-level=debug'])).toMatchObject({
    PORT: 2,
    LOG_LEVEL: 'debug',
  })
})

it('names every violation at once', () => {
  const read = () =>
    readSettings({ PORT: 'x', BASE_URL: 'nope', S3_ENDPOINT: 'http://s3', MASTER_KEY: 'short' }, [
      '--no-such',
      '1',
      '--host',
    ])
  expect(read).toThrow(SettingsError)
  for (const part of ['PORT', 'BASE_URL', 'S3_BUCKET', 'MASTER_KEY', '--no-such', '--host']) expect(read).toThrow(part)
})

it('a port chosen later updates the derived URLs', () => {
  const picked = withPort(readSettings({ PORT: '0' }), 4321)
  expect(picked.BASE_URL).toBe('http://127.0.0.1:4321')
  expect(withPort(readSettings({ PORT: '0', BASE_URL: 'https://a.example' }), 4321).BASE_URL).toBe('https://a.example')
})
