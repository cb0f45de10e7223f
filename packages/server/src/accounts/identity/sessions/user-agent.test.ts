// Guarantees: people recognize their devices in the list of sessions, terminals and browsers.
import { expect, test } from 'vitest'
import { parseUserAgent } from './user-agent.ts'

const webkit = 'AppleWebKit/537.36 (KHTML, like Gecko)'

test.each([
  ['millrace-cli/0.1.0 (linux; x64) node/24.1.0', 'millrace-cli', '0.1.0', 'Linux'],
  ['millrace-cli/0.1.0', 'millrace-cli', '0.1.0', ''],
  ['inferencesh-cli/1.2.3-beta.1 (darwin; arm64)', 'inferencesh-cli', '1.2.3-beta.1', 'macOS'],
  ['tool/2.0 (win32)', 'tool', '2.0', 'Windows'],
  ['node', 'node', '', ''],
  ['curl/8.5.0', 'curl', '8.5.0', ''],
  [
    `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webkit} Chrome/126.0.0.0 Safari/537.36`,
    'Chrome',
    '126.0.0.0',
    'Windows',
  ],
  [
    `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webkit} Chrome/126.0.0.0 Safari/537.36 Edg/126.0.2592.68`,
    'Edge',
    '126.0.2592.68',
    'Windows',
  ],
  [`Mozilla/5.0 (X11; Linux x86_64) ${webkit} HeadlessChrome/126.0.0.0 Safari/537.36`, 'Chrome', '126.0.0.0', 'Linux'],
  [
    `Mozilla/5.0 (Linux; Android 14; Pixel 8) ${webkit} Chrome/126.0.0.0 Mobile Safari/537.36`,
    'Chrome',
    '126.0.0.0',
    'Android',
  ],
  ['Mozilla/5.0 (X11; Ubuntu; Linux x86_64; rv:127.0) Gecko/20100101 Firefox/127.0', 'Firefox', '127.0', 'Linux'],
  [
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Safari/605.1.15',
    'Safari',
    '17.5',
    'macOS',
  ],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1',
    'Safari',
    '17.5',
    'iOS',
  ],
  [
    `Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${webkit} Chrome/126.0.0.0 Safari/537.36`,
    'Chrome',
    '126.0.0.0',
    'ChromeOS',
  ],
  ['Mozilla/5.0', '', '', ''],
  ['', '', '', ''],
  ['(no product)', '', '', ''],
])('%s', (header, browser, browser_version, os) => {
  expect(parseUserAgent(header)).toEqual({ browser, browser_version, os })
})

test('reads only the beginning of an endless header', () => {
  expect(parseUserAgent('a'.repeat(100_000)).browser).toHaveLength(512)
})
