// Parses and lists aliases. Pure.
import { parseRef } from '@millrace/contract/refs'

export type Alias = {
  namespace: string
  name: string
  target: { kind: 'app'; namespace: string; name: string; function: string | undefined } | { kind: 'page'; url: string }
}

const appPath = /^\/apps\/([^/?]+)\/([^/?]+)(?:\?function=(.+))?$/

const targetOf = (text: string): Alias['target'] => {
  const [, namespace, name, named] = appPath.exec(text) ?? []
  if (namespace === undefined || name === undefined) return { kind: 'page', url: text }
  return { kind: 'app', namespace, name, function: named && decodeURIComponent(named) }
}

export const aliasesIn = (redirects: Readonly<Record<string, string>>): Alias[] =>
  Object.entries(redirects).flatMap(([path, target]) => {
    const [, namespace, name] = appPath.exec(path) ?? []
    return namespace === undefined || name === undefined ? [] : [{ namespace, name, target: targetOf(target) }]
  })

/** A typed reference in the form `namespace/name`. */
export const refIn = (text: string): { namespace: string; name: string } | undefined => {
  const ref = parseRef(text.trim())
  if (!ref?.namespace || ref.type !== null || ref.version !== null || ref.function !== null) return undefined
  return { namespace: ref.namespace, name: ref.name }
}
