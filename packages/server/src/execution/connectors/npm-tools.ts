// Converts the tools of an MCP server to functions. Pure.
import type { Tool } from '@millrace/contract/connectors'
import { isRecord } from '@millrace/contract/json'
import type { ConvertedFunction } from './openapi/convert.ts'
import { functionName } from './openapi/operations.ts'
import { copySchema } from './openapi/schema.ts'

const maxSubschemas = 300
const subschemasPerApp = 3_000

const output = {
  type: 'object',
  properties: {
    text: { type: 'string' },
    structured_content: { description: 'The result as the tool describes it' },
    files: { type: 'array', items: { type: 'string', format: 'file' } },
  },
  required: ['text'],
}

export const functionsOf = (list: readonly Tool[]) => {
  const share = Math.min(maxSubschemas, Math.floor(subschemasPerApp / list.length))
  const functions: Record<string, ConvertedFunction> = {}
  const tools: Record<string, string> = {}
  const annotations: Record<string, Record<string, boolean>> = {}
  for (const { name: tool, description, inputSchema, annotations: hints } of list) {
    const name = functionName({ id: tool, title: tool }, new Set(Object.keys(tools)))
    const copied = copySchema({ left: share, document: inputSchema, binaryIsFile: false }, inputSchema)
    tools[name] = tool
    functions[name] = {
      description: description.slice(0, 2_000),
      input_schema: { ...copied, type: 'object' },
      output_schema: output,
      kind: 'run',
    }
    const known = Object.entries(hints).filter(
      ([hint, value]) => /^\w{1,40}Hint$/.test(hint) && typeof value === 'boolean',
    )
    if (known.length > 0) annotations[name] = Object.fromEntries(known.slice(0, 8)) as Record<string, boolean>
  }
  return { functions, tools, annotations }
}

/**
 * The versions and integrity hashes of all packages, without the addresses: each engine uses its own registry, and the
 * hashes prove that it returns the same packages.
 */
export const lockWithoutAddresses = (lock: unknown): string | undefined => {
  if (!isRecord(lock) || !isRecord(lock.packages)) return undefined
  const packages = Object.fromEntries(
    Object.entries(lock.packages).map(([path, entry]) => {
      if (!isRecord(entry)) return [path, entry]
      const { resolved: _, ...rest } = entry
      return [path, rest]
    }),
  )
  return JSON.stringify({ ...lock, packages })
}
