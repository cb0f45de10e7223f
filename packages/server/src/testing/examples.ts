// Examples for the reference, taken from scenarios that really ran: `npm run examples` sets the folder they go to, and
// joins them into one file. Without it nothing is written.
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Operation } from '../core/operation.ts'
import type { Example } from '../http/examples.ts'
import type { Answer } from './world.ts'

export type Asked = {
  door: string
  path: Record<string, string>
  query: Record<string, string> | undefined
  body: unknown
}

/** A list shows itself by two of its rows. */
const shownItems = 2
const longestText = 400

const shortened = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.slice(0, shownItems).map(shortened)
  if (typeof value === 'string' && value.length > longestText) return `${value.slice(0, longestText)}…`
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, shortened(member)]))
}

/** Without what the server ignores or reads as absent: a scenario may send it on purpose, an example must not. */
export const shownBody = (schema: Operation['body'], body: unknown): unknown => {
  const { properties, additionalProperties } = (schema ?? {}) as { properties?: object; additionalProperties?: unknown }
  if (typeof body !== 'object' || body === null || Array.isArray(body) || !properties || additionalProperties)
    return body
  return Object.fromEntries(
    Object.entries(body).filter(
      ([key, value]) => Object.hasOwn(properties, key) && value !== null && value !== undefined,
    ),
  )
}

const isFirstDoor = ({ doors, list }: Operation, door: string): boolean =>
  door === (list ? doors.find((one) => one.startsWith('POST')) : doors[0]) || door === doors[0]

/** The first success of an operation is its example: tables begin with the ordinary case. */
export const recordExample = async (operation: Operation, asked: Asked, answer: Answer): Promise<void> => {
  const folder = process.env.EXAMPLES_FOLDER
  if (folder === undefined || answer.status !== 200 || answer.json === undefined) return
  if (!isFirstDoor(operation, asked.door) || typeof asked.body === 'string') return
  const example: Example = {
    ...(Object.keys(asked.path).length > 0 ? { path: asked.path } : {}),
    ...(asked.query === undefined ? {} : { query: asked.query }),
    ...(asked.body === undefined ? {} : { body: shortened(shownBody(operation.body, asked.body)) }),
    response: shortened(answer.json),
  }
  await mkdir(folder, { recursive: true })
  const file = join(folder, `${operation.name}.json`)
  await writeFile(file, JSON.stringify(example, null, 2), { flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
}
