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

type Place = Pick<Shell, 'env' | 'home'>

export const readLogins = async (place: Place): Promise<StoredLogins> => {
  const stored = await readPrivateJson(join(configFolder(place), fileName))
  return stored === null ? noLogins : (stored as StoredLogins)
}

const write = (place: Place, logins: StoredLogins): Promise<void> =>
  writePrivateJson(configFolder(place), fileName, logins)

/** Also makes the address the default of later commands. */
export const storeLogin = async (place: Place, apiUrl: string, login: Login): Promise<void> => {
  const { logins } = await readLogins(place)
  await write(place, { current: apiUrl, logins: { ...logins, [apiUrl]: login } })
}

export const forgetLogin = async (place: Place, apiUrl: string): Promise<void> => {
  const stored = await readLogins(place)
  const { [apiUrl]: _gone, ...rest } = stored.logins
  await write(place, { current: stored.current === apiUrl ? null : stored.current, logins: rest })
}
