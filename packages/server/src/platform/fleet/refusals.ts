// What servers of one database must have in common. A server that does not fit is refused with what to set.
import type { ServerRow } from './store.ts'

const files = 'S3_ENDPOINT (or S3_BUCKET), S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY'

/** Null when the two may work side by side. */
export const refusalOf = (self: ServerRow, other: ServerRow): string | null => {
  const where = `Another server (${other.address}) works on this database`
  if (self.keeps_files_apart || other.keeps_files_apart) {
    const whose = self.keeps_files_apart ? 'this one keeps' : 'it keeps'
    return `${where}, and ${whose} files in a folder of its own, where the others cannot read them. Set ${files} on all servers, or stop the other one.`
  }
  if (self.keeps_key_apart || other.keeps_key_apart) {
    const whose = self.keeps_key_apart ? 'this one has' : 'it has'
    return `${where}, and ${whose} its master key in a file of its own. Set MASTER_KEY to the same key on all servers (the line in master.key), or stop the other one.`
  }
  if (self.bus !== other.bus)
    return `${where} and sends its news over ${other.bus}, this one over ${self.bus}: they would not hear each other. Set NATS_URL to the same on all servers, or on none.`
  return null
}
