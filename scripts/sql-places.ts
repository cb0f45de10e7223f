// SQL belongs in stores, and each table is written by one feature. Other features call its service; exceptions have a
// reason.
import { sqlOutsideStores, tablesOfSeveralRooms } from './exceptions.ts'
import { conclude, judge, readSource, sourceFiles } from './source-files.ts'

const server = 'packages/server/src'

/** The database folder builds statements for all features; a store is recognized by its file name. */
const mayHoldSql = (path: string): boolean =>
  /(^|[/-])store\.ts$/.test(path) || /^(db|tenancy)\//.test(path.slice(`${server}/platform/`.length))

const statement = /\bsql(?:<[^`]*?>)?`|\.(?:selectFrom|insertInto|updateTable|deleteFrom|mergeInto)\(/g

const written =
  /\.(?:insertInto|updateTable|deleteFrom|mergeInto)\(\s*'(\w+)|\b(?:insert into|update|delete from|merge into)\s+(?!if\b)([a-z_]+)\b(?=\s+(?:as \w+\s+)?(?:\(|set\b|where\b|using\b|values\b|select\b))/gi

const roomOf = (path: string): string => {
  const [district = '', folder = '', ...rest] = path.slice(server.length + 1).split('/')
  return rest.length === 0 ? district : folder
}

const files = sourceFiles(server)
const outside = new Map<string, string>()
const writers = new Map<string, Set<string>>()
for (const path of files) {
  const text = readSource(path)
  const count = mayHoldSql(path) ? 0 : (text.match(statement)?.length ?? 0)
  if (count > 0) outside.set(path, `${path}: SQL belongs in a store`)
  for (const [, built, spoken] of text.matchAll(written)) {
    const table = built ?? spoken ?? ''
    writers.set(table, (writers.get(table) ?? new Set()).add(roomOf(path)))
  }
}
const shared = new Map(
  [...writers].flatMap(([table, rooms]) =>
    rooms.size > 1 ? [[table, `${table} is written by ${[...rooms].sort().join(', ')}`] as const] : [],
  ),
)
conclude(
  [...judge(outside, sqlOutsideStores), ...judge(shared, tablesOfSeveralRooms)],
  `${writers.size} tables written, ${shared.size} by several features; SQL outside stores in ${outside.size} files, all with a reason`,
)
