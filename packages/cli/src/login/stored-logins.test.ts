// Guarantees: credentials are stored per server in a file that only its owner can read, and are removed at sign-out.
import { readdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, test } from 'vitest'
import { configFolder } from '../config-folder.ts'
import { createShell } from '../testing/shell.ts'
import { forgetLogin, type Login, noLogins, readLogins, storeLogin } from './stored-logins.ts'

const session: Login = { kind: 'session', token: 'sess_1', team_id: 't1' }
const key: Login = { kind: 'key', token: 'mill-1', team_id: 't2' }

test.each([
  ['its own setting', { MILLRACE_CONFIG_DIR: '/c', XDG_CONFIG_HOME: '/x' }, '/c'],
  ['the setting of the desktop', { XDG_CONFIG_HOME: '/x' }, '/x/millrace'],
  ['the home folder', {}, '/home/ada/.config/millrace'],
])('the folder follows %s', (_claim, env, expected) => expect(configFolder({ env, home: '/home/ada' })).toBe(expected))

it('stores one sign-in per server; the last one is the default', async () => {
  const shell = await createShell()
  expect(await readLogins(shell)).toEqual(noLogins)
  await storeLogin(shell, 'https://a.example', session)
  await storeLogin(shell, 'https://b.example', key)
  expect(await readLogins(shell)).toEqual({
    current: 'https://b.example',
    logins: { 'https://a.example': session, 'https://b.example': key },
  })
  await forgetLogin(shell, 'https://b.example')
  expect(await readLogins(shell)).toEqual({ current: null, logins: { 'https://a.example': session } })
})

it('is readable by its owner only, even if an older file was not', async () => {
  const shell = await createShell()
  await storeLogin(shell, 'https://a.example', session)
  const folder = configFolder(shell)
  const file = join(folder, 'credentials.json')
  await writeFile(file, JSON.stringify(noLogins), { mode: 0o644 })
  await storeLogin(shell, 'https://a.example', session)
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  expect((await stat(folder)).mode & 0o777).toBe(0o700)
  expect(await readdir(folder)).toEqual(['credentials.json'])
})

it('says when the file is damaged instead of signing out', async () => {
  const shell = await createShell()
  await storeLogin(shell, 'https://a.example', session)
  await writeFile(join(configFolder(shell), 'credentials.json'), '{')
  await expect(readLogins(shell)).rejects.toThrow(/damaged/)
})
