// Statements name the columns they read. A newer version adds columns while servers of this one still work, and PostgreSQL
// refuses a statement that was prepared as `*` once that means something else (decision 0127). In the query builder
// `selectAll` and `returningAll` may stand for all columns of a table: here they become those this version knows.
import {
  AliasNode,
  ColumnNode,
  IdentifierNode,
  type KyselyPlugin,
  type OperationNode,
  type RawBuilder,
  ReferenceNode,
  type RootOperationNode,
  SelectAllNode,
  SelectionNode,
  sql,
  TableNode,
} from 'kysely'
import { columns, type Database } from './schema.gen.ts'

const known: Readonly<Record<string, readonly string[]>> = columns

/** All columns of a table, for statements that are written as SQL. */
export const columnsOf = (table: keyof Database, alias: string = table): RawBuilder<unknown> =>
  sql.join(columns[table].map((column) => sql.ref(`${alias}.${column}`)))

/** A table of the statement: how it is referred to, and what it has; null where it is no table of the schema. */
type Source = { name: string; columns: readonly string[] } | null

const tableName = (node: TableNode): string => node.table.identifier.name

const sourceOf = (node: OperationNode): Source => {
  const [of, alias] = AliasNode.is(node) ? [node.node, node.alias] : [node, null]
  if (!TableNode.is(of)) return null
  const found = known[tableName(of)]
  if (!found) return null
  return { name: alias && IdentifierNode.is(alias) ? alias.name : tableName(of), columns: found }
}

const spell = ({ name, columns }: NonNullable<Source>): SelectionNode[] =>
  columns.map((column) => SelectionNode.create(ReferenceNode.create(ColumnNode.create(column), TableNode.create(name))))

const spelled =
  (sources: readonly Source[]) =>
  (selected: SelectionNode): readonly SelectionNode[] => {
    const { selection } = selected
    if (SelectAllNode.is(selection))
      return sources.every((source) => source !== null) ? sources.flatMap(spell) : [selected]
    if (!ReferenceNode.is(selection) || !SelectAllNode.is(selection.column) || !selection.table) return [selected]
    const name = tableName(selection.table)
    const source = sources.find((one) => one?.name === name)
    return source ? spell(source) : [selected]
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
      const beside = node.kind === 'UpdateQueryNode' ? (node.from?.froms ?? []) : []
      const sources = [...changed, ...beside].map((one) => (one ? sourceOf(one) : null))
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
