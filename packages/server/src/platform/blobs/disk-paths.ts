// Where a key lies on disk. Pure. One flat file per key inside one of 256 shards: no key is a folder of another, names survive
// case-folding and normalising file systems, and every name decodes back to its key.
import { createHash } from 'node:crypto'
import { isBlobKey } from './keys.ts'

export const shardOf = (key: string): string => createHash('sha256').update(key).digest('hex').slice(0, 2)

export const isShard = (name: string): boolean => /^[0-9a-f]{2}$/.test(name)

/** `/` becomes `,` and a capital `+` with its small letter; neither sign can stand in a key. */
export const fileNameOf = (key: string): string =>
  key.replaceAll('/', ',').replace(/[A-Z]/g, (letter) => `+${letter.toLowerCase()}`)

/** Null for a file that is not ours. */
export const keyOfFileName = (name: string): string | null => {
  const key = name.replaceAll(',', '/').replace(/\+([a-z])/g, (_, letter: string) => letter.toUpperCase())
  return isBlobKey(key) && fileNameOf(key) === name ? key : null
}

/** Who writes a temporary file: enough to tell, after a crash, that nobody will finish it. */
export type TempOwner = { host: string; pid: number; boot: string }

const hostLabel = (host: string): string =>
  host
    .toLowerCase()
    .replace(/[^a-z0-9-]/g, '-')
    .slice(0, 63) || 'host'

export const tempName = (owner: TempOwner, upload: string): string =>
  [hostLabel(owner.host), owner.pid, owner.boot, upload].join('.')

export type TempVerdict = 'ours' | 'abandoned' | 'unknown'

/**
 * `unknown` is a file of another machine, of a live process, or not named by us: only its age can tell.
 * A process id that is our own with another boot mark belongs to an earlier life (in a container it is always 1).
 */
export const judgeTemp = (name: string, us: TempOwner, isAlive: (pid: number) => boolean): TempVerdict => {
  const [host, pidText, boot, upload, ...rest] = name.split('.')
  const pid = Number(pidText)
  if (!boot || !upload || rest.length > 0 || !Number.isSafeInteger(pid) || pid <= 0) return 'unknown'
  if (host !== hostLabel(us.host)) return 'unknown'
  if (pid === us.pid) return boot === us.boot ? 'ours' : 'abandoned'
  return isAlive(pid) ? 'unknown' : 'abandoned'
}
