// Settings that all servers of one database must share. A server that differs cannot start; the message says what to
// set.
import type { ServerRow } from './store.ts'

const files = 'S3_ENDPOINT (or S3_BUCKET), S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY'

/** Null if the two servers can run together. */
export const refusalOf = (self: ServerRow, other: ServerRow): string | null => {
  const where = `Another server (${other.address}) uses this database`
  if (self.keeps_files_apart || other.keeps_files_apart) {
    const whose = self.keeps_files_apart ? 'this server stores' : 'it stores'
    return `${where}, and ${whose} files in its own folder, which other servers cannot read. Set ${files} on all servers, or stop the other one.`
  }
  if (self.keeps_key_apart || other.keeps_key_apart) {
    const whose = self.keeps_key_apart ? 'this server has' : 'it has'
    return `${where}, and ${whose} its master key in its own file. Set MASTER_KEY to the same key on all servers (the line in master.key), or stop the other one.`
  }
  if (self.bus !== other.bus)
    return `${where} and sends events over ${other.bus}, but this server uses ${self.bus}. Set NATS_URL to the same on all servers, or on none.`
  return null
}
