// Imports between files of the repository, parsed from the text; other packages are ignored.
import { dirname, relative, resolve } from 'node:path'
import { readSource, root } from './source-files.ts'

export type Import = {
  readonly from: string
  readonly to: string
  readonly typeOnly: boolean
  /** `export … from`: the file re-exports names of another one. */
  readonly reExports: boolean
}

const statement = /^\s*(import|export)\s+(type\s)?[^'"]*?from\s+['"]([^'"]+)['"]|import\(\s*['"]([^'"]+)['"]\s*\)/gm

export const importsOf = (path: string): Import[] =>
  [...readSource(path).matchAll(statement)].flatMap(([, verb, type, named, dynamic]) => {
    const target = named ?? dynamic ?? ''
    const found = { from: path, typeOnly: type !== undefined, reExports: verb === 'export' }
    if (target.startsWith('.'))
      return [{ ...found, to: relative(root, resolve(root, dirname(path), target)).replaceAll('\\', '/') }]
    if (target.startsWith('#')) return [{ ...found, to: `packages/server/src/${target.slice(1)}` }]
    const own = /^@millrace\/(\w+)(?:\/(.+))?$/.exec(target)
    return own ? [{ ...found, to: `packages/${own[1]}/src/${own[2] ?? 'index'}.ts` }] : []
  })
