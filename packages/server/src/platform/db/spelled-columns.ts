// Replaces `selectAll` and `returningAll` by explicit column names. A newer version may add columns while servers of
// this version are running, and PostgreSQL rejects a statement that was prepared with `*` when its columns change
// (decision 0127).
import {
  AliasNode,
  IdentifierNode,
  type KyselyPlugin,
  type OperationNode,
  type RawBuilder,
  RawNode,
  ReferenceNode,
  type RootOperationNode,
  SelectAllNode,
  SelectionNode,
  sql,
  TableNode,
} from 'kysely'
import { columns, type Database } from './schema.gen.ts'

const known: Readonly<Record<string, readonly string[]>> = columns

/** All columns of a table for SQL templates. */
export const columnsOf = (table: keyof Database, alias: string = table): RawBuilder<unknown> =>
  sql.join(columns[table].map((column) => sql.ref(`${alias}.${column}`)))

/** A table of the statement: its alias and its columns; null for anything that is not a table of the schema. */
type Source = { name: string; all: SelectionNode } | null

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`

const spelledAs = new Map<string, SelectionNode>()

/** The SQL of all columns, cached: building fifty nodes takes longer than the rest of a statement. */
const allColumns = (table: string, alias: string): SelectionNode | null => {
  const key = `${table} ${alias}`
  const before = spelledAs.get(key)
  if (before) return before
  const names = known[table]
  if (!names) return null
  const text = names.map((column) => `${quoted(alias)}.${quoted(column)}`).join(', ')
  // The compiler accepts any node; the type only permits aliases.
  const all = SelectionNode.create(RawNode.createWithSql(text) as unknown as AliasNode)
  spelledAs.set(key, all)
  return all
}

const tableName = (node: TableNode): string => node.table.identifier.name

const sourceOf = (node: OperationNode): Source => {
  const [of, alias] = AliasNode.is(node) ? [node.node, node.alias] : [node, null]
  if (!TableNode.is(of)) return null
  const name = alias && IdentifierNode.is(alias) ? alias.name : tableName(of)
  const all = allColumns(tableName(of), name)
  return all && { name, all }
}

const spelled =
  (sources: readonly Source[]) =>
  (selected: SelectionNode): readonly SelectionNode[] => {
    const { selection } = selected
    if (SelectAllNode.is(selection))
      return sources.every((source) => source !== null) ? sources.map(({ all }) => all) : [selected]
    if (!ReferenceNode.is(selection) || !SelectAllNode.is(selection.column) || !selection.table) return [selected]
    const name = tableName(selection.table)
    const source = sources.find((one) => one?.name === name)
    return [source ? source.all : selected]
  }

const spellColumns = (node: RootOperationNode): RootOperationNode => {
  switch (node.kind) {
    case 'SelectQueryNode': {
      if (!node.selections) return node
      const sources = [...(node.from?.froms ?? []), ...(node.joins ?? []).map(({ table }) => table)].map(sourceOf)
      return { ...node, selections: node.selections.flatMap(spelled(sources)) }
    }
    case 'InsertQueryNode':
    case 'UpdateQueryNode':
    case 'DeleteQueryNode': {
      if (!node.returning) return node
      const changed =
        node.kind === 'InsertQueryNode' ? [node.into] : node.kind === 'UpdateQueryNode' ? [node.table] : node.from.froms
      const additionalTables = node.kind === 'UpdateQueryNode' ? (node.from?.froms ?? []) : []
      const sources = [...changed, ...additionalTables].map((one) => (one ? sourceOf(one) : null))
      return {
        ...node,
        returning: { ...node.returning, selections: node.returning.selections.flatMap(spelled(sources)) },
      }
    }
    default:
      return node
  }
}

export const spelledColumns: KyselyPlugin = {
  transformQuery: ({ node }) => spellColumns(node),
  transformResult: async ({ result }) => result,
}
