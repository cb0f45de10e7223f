// A statement that is sent by name. The shape of its rows is requested with the first execution on a connection and
// cached. The driver itself requests and parses it with every execution, which for a wide row takes longer than its
// values.
import pg from 'pg'

type NamedStatement = { readonly name: string; readonly text: string; readonly values: readonly unknown[] }

type Parser = (text: string) => unknown
type Field = { readonly name: string; readonly dataTypeID: number }
type Shape = { readonly fields: readonly Field[]; readonly parsers: readonly Parser[]; readonly empty: object }

/** Internal parts of the driver that its types do not declare. */
type Connection = {
  bind(of: { statement: string; values: readonly unknown[] }): void
  execute(): void
  sync(): void
}
type Inner = {
  name: string
  readonly text: string
  values: readonly unknown[]
  callback: (error: Error | null, result: pg.QueryResult) => void
  _result: { rows: object[]; _types: { getTypeParser(oid: number, format: 'text'): Parser } }
  _canceledDueToError: unknown
}
type Driver = {
  new (
    text: string,
  ): pg.Query &
    Inner & {
      prepare(connection: Connection): void
      handleCommandComplete(message: object, connection: Connection): void
    }
}
const DriverQuery = pg.Query as unknown as Driver
const { prepareValue } = (pg as unknown as { utils: { prepareValue(value: unknown): unknown } }).utils

const noRows: Shape = { fields: [], parsers: [], empty: {} }

const shapesOf = new WeakMap<Connection, Map<string, Shape>>()
/** The last shape received on any connection; other connections have the same one unless a migration ran in between. */
const lastShapes = new Map<string, Shape>()

const isOf = (shape: Shape, fields: readonly Field[]): boolean =>
  shape.fields.length === fields.length &&
  shape.fields.every(({ name, dataTypeID }, at) => name === fields[at]?.name && dataTypeID === fields[at]?.dataTypeID)

const addShape = (connection: Connection, name: string, shape: Shape): void => {
  const known = shapesOf.get(connection)
  if (known) known.set(name, shape)
  else shapesOf.set(connection, new Map([[name, shape]]))
  lastShapes.set(name, shape)
}

export class NamedQuery extends DriverQuery {
  #shape: Shape | undefined
  #isNew = false

  constructor({ name, text, values }: NamedStatement) {
    super(text)
    this.name = name
    this.values = values.map((value) => prepareValue(value))
  }

  /** Runs on one client; a pool accepts the query directly. */
  over(client: pg.ClientBase): Promise<pg.QueryResult> {
    return new Promise<pg.QueryResult>((resolve, reject) => {
      this.callback = (error, result) => (error ? reject(error) : resolve(result))
      client.query(this)
    }).catch((error: Error) => {
      // The stack of the caller is useful, the stack of the socket is not.
      Error.captureStackTrace(error)
      throw error
    })
  }

  override prepare(connection: Connection): void {
    this.#shape = shapesOf.get(connection)?.get(this.name)
    this.#isNew = this.#shape === undefined
    if (this.#isNew) super.prepare(connection)
    else {
      connection.bind({ statement: this.name, values: this.values })
      connection.execute()
      connection.sync()
    }
  }

  handleRowDescription({ fields }: { fields: readonly Field[] }): void {
    const last = lastShapes.get(this.name)
    this.#shape =
      last && isOf(last, fields)
        ? last
        : {
            fields,
            parsers: fields.map(({ dataTypeID }) => this._result._types.getTypeParser(dataTypeID, 'text')),
            empty: Object.fromEntries(fields.map(({ name }) => [name, null])),
          }
  }

  handleDataRow({ fields: values }: { fields: readonly (string | null)[] }): void {
    const { fields, parsers, empty } = this.#shape ?? noRows
    const row: Record<string, unknown> = { ...empty }
    try {
      fields.forEach(({ name }, at) => {
        const value = values[at] ?? null
        // Of two columns with the same name the last one counts, also when it is null.
        row[name] = value === null ? null : parsers[at]?.(value)
      })
    } catch (error) {
      this._canceledDueToError = error
      return
    }
    this._result.rows.push(row)
  }

  override handleCommandComplete(message: object, connection: Connection): void {
    super.handleCommandComplete(message, connection)
    if (this.#isNew) addShape(connection, this.name, this.#shape ?? noRows)
  }
}
