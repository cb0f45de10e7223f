// The addresses of a service. An app that is generated from a document calls these hosts only.
import { isRecord } from '@millrace/contract/json'
import { DocumentProblem, type Json, records } from './document.ts'

/** The address of a server entry with the defaults of its variables. */
const addressOf = ({ url, variables }: Json, base: string | undefined): URL | undefined => {
  if (typeof url !== 'string') return undefined
  const filled = url.replace(/\{([^}]+)\}/g, (_, name: string) => {
    const variable = isRecord(variables) && Object.hasOwn(variables, name) ? variables[name] : undefined
    return isRecord(variable) && typeof variable.default === 'string' ? variable.default : ''
  })
  const address = URL.parse(filled, base)
  return address && /^https?:$/.test(address.protocol) ? address : undefined
}

const withoutEnd = (address: URL): string => `${address.origin}${address.pathname.replace(/\/+$/, '')}`

/** `asked` takes precedence; relative addresses are resolved against the address of the document. */
export const mainServer = (document: Json, requested: string | undefined, from: string | undefined): string => {
  const [first] = records(document.servers)
  const address = addressOf(requested === undefined ? (first ?? {}) : { url: requested }, from)
  if (!address) throw new DocumentProblem('The document names no server; pass its address as `server_url`')
  if (address.username !== '' || address.password !== '')
    throw new DocumentProblem('The address of the server must not contain a user name or a password')
  return withoutEnd(address)
}

/** An operation or a path can have its own servers. */
export const serverOf = (main: string, requested: string | undefined, ...levels: Json[]): string => {
  const own = levels.flatMap(({ servers }) => records(servers).slice(0, 1))[0]
  const address = own && requested === undefined ? addressOf(own, `${main}/`) : undefined
  return address ? withoutEnd(address) : main
}
