// Stored sign-ins, one per API address, so that a credential is never sent to another server.
import { join } from 'node:path'
import { configFolder, readPrivateJson, writePrivateJson } from '../config-folder.ts'
import type { Shell } from '../shell.ts'

export type Login = {
  /** A session can change its workspace. A key belongs to one. */
  readonly kind: 'session' | 'key'
  readonly token: string
  readonly team_id: string
}

export type StoredLogins = { readonly current: string | null; readonly logins: Readonly<Record<string, Login>> }

const fileName = 'credentials.json'
export const noLogins: StoredLogins = { current: null, logins: {} }

type ConfigLocation = Pick<Shell, 'env' | 'home'>

export const readLogins = async (location: ConfigLocation): Promise<StoredLogins> => {
  const stored = await readPrivateJson(join(configFolder(location), fileName))
  return stored === null ? noLogins : (stored as StoredLogins)
}

const write = (location: ConfigLocation, logins: StoredLogins): Promise<void> =>
  writePrivateJson(configFolder(location), fileName, logins)

/** Also makes the address the default of later commands. */
export const storeLogin = async (location: ConfigLocation, apiUrl: string, login: Login): Promise<void> => {
  const { logins } = await readLogins(location)
  await write(location, { current: apiUrl, logins: { ...logins, [apiUrl]: login } })
}

export const forgetLogin = async (location: ConfigLocation, apiUrl: string): Promise<void> => {
  const stored = await readLogins(location)
  const { [apiUrl]: _gone, ...rest } = stored.logins
  await write(location, { current: stored.current === apiUrl ? null : stored.current, logins: rest })
}
