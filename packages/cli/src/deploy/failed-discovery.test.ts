// Guarantees: the failure of an app that cannot be read is shown once, without repeating earlier output.
import { expect, test } from 'vitest'
import { failedDiscovery } from './deploy.ts'

test('leaves out what the app printed about the failure, and keeps the rest', () => {
  const place = '    at inference.js:2:6'
  const { message, details } = failedDiscovery(
    `the app could not be loaded: no model\n${place}`,
    ['loading', 'Error: no model', place, '    at other (inference.js:9:1)', ''],
    new Set(),
  )
  expect(message).toBe(`The app could not be loaded: no model\n${place}`)
  expect(details).toEqual(['loading', '    at other (inference.js:9:1)'])
})

test('leaves out installer output that was already shown', () => {
  const shown = new Set(['Collecting demo', 'ERROR: no such version'])
  const { message, details } = failedDiscovery(
    'the packages of this app could not be installed: pip ended with code 1\nCollecting demo\nERROR: no such version',
    [],
    shown,
  )
  expect(message).toBe('The packages of this app could not be installed: pip ended with code 1')
  expect(details).toEqual([])
})
