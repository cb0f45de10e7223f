// The address at which other servers reach this one.
import { networkInterfaces } from 'node:os'
import type { Settings } from '../settings/settings.ts'

const isAnywhere = (host: string): boolean => host === '0.0.0.0' || host === '::'

/** The first external address of this machine; loopback if there is none. */
const ownAddress = (): string => {
  const all = Object.values(networkInterfaces()).flatMap((list) => list ?? [])
  return all.find(({ family, internal }) => family === 'IPv4' && !internal)?.address ?? '127.0.0.1'
}

export const serverAddress = ({ SERVER_URL, HOST, PORT }: Settings): string => {
  if (SERVER_URL !== undefined) return SERVER_URL
  const host = isAnywhere(HOST) ? ownAddress() : HOST
  return `http://${host.includes(':') ? `[${host}]` : host}:${PORT}`
}
