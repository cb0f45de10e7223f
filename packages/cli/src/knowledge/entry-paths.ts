// Chooses the file of each exported entry. Pure.

/** A Markdown file that an import accepts. */
export const isNotePath = (path: string): boolean =>
  /\.(md|markdown)$/i.test(path) && !path.split('/').some((part) => part.startsWith('.') || part === 'node_modules')

/** A path from the server must not leave the folder. */
const isSafe = (path: string): boolean => isNotePath(path) && !path.includes('\\') && !path.split('/').includes('')

const foldersOf = (path: string): string[] => {
  const parts = path.split('/').slice(0, -1)
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'))
}

export type Placed = { readonly name: string; readonly path: string }

/**
 * Each entry gets its own file: the path that it was imported from if no other entry has it, otherwise one made from
 * its name. `same` maps paths that the file system treats as equal to one text.
 */
export const entryPaths = (entries: readonly Placed[], same: (path: string) => string): string[] => {
  const files = new Set<string>()
  const folders = new Set<string>()
  const take = (path: string): boolean => {
    const key = same(path)
    const above = foldersOf(key)
    if (files.has(key) || folders.has(key) || above.some((folder) => files.has(folder))) return false
    files.add(key)
    for (const folder of above) folders.add(folder)
    return true
  }
  const named = (name: string): string => {
    for (let count = 1; ; count += 1) {
      const path = count === 1 ? `${name}.md` : `${name}-${count}.md`
      if (take(path)) return path
    }
  }
  const own = entries.map(({ path }) => (isSafe(path) && take(path) ? path : null))
  return entries.map(({ name }, index) => own[index] ?? named(name))
}
