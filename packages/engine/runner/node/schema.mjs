// JSON Schema of an app's exports: a zod schema (zod 4: converted by the app's own zod) or a plain JSON Schema.
// Supports three marks of the app kit: files, live fields, and binary items of live fields.

import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import { isZod3, zod3ToJsonSchema } from './zod3.mjs'

const fileMark = Symbol.for('inferencesh.fileSchema')
const streamMark = Symbol.for('inferencesh.streamSchema')
const binaryMark = Symbol.for('inferencesh.binarySchema')

/** Recognizes zod 3, zod 4 and zod mini. */
export const isZod = (schema) =>
  schema !== null &&
  typeof schema === 'object' &&
  ('_def' in schema || '_zod' in schema) &&
  typeof schema.safeParse === 'function'

const defOf = (schema) => schema?._def ?? schema?._zod?.def ?? {}

export function schemaReader(entry) {
  let zod
  return async (schema, io) => {
    if (schema === undefined || schema === null) return null
    if (!isZod(schema)) return typeof schema === 'object' ? withoutLiveDemands(schema) : null
    if (isZod3(schema)) return marked3(schema, io)
    zod ??= await importZod(entry)
    if (!zod || !('_zod' in schema)) return null
    return zodToJsonSchema(zod, schema, io)
  }
}

// Late releases of zod 3 include zod 4 under `zod/v4`.
async function importZod(entry) {
  for (const name of ['zod', 'zod/v4']) {
    try {
      const zod = await import(pathToFileURL(createRequire(entry).resolve(name)).href)
      if (zod.toJSONSchema) return zod
    } catch {}
  }
  return undefined
}

// The app's zod may be a different copy from the one found here; its schemas carry their own metadata.
const metadataOf = (zod) => ({
  get: (schema) => (typeof schema.meta === 'function' ? schema.meta() : zod.globalRegistry.get(schema)),
})

function zodToJsonSchema(zod, schema, io) {
  const json = zod.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    metadata: metadataOf(zod),
    override: ({ zodSchema, jsonSchema }) => {
      const marked = markedSchema(zodSchema, (inner) => zodToJsonSchema(zod, inner, io))
      if (marked) {
        const { description, title } = jsonSchema
        for (const key of Object.keys(jsonSchema)) delete jsonSchema[key]
        Object.assign(jsonSchema, marked, description && { description }, title && { title })
      }
      const { shape } = defOf(zodSchema)
      if (shape && Array.isArray(jsonSchema.required)) {
        jsonSchema.required = jsonSchema.required.filter((name) => findMark(shape[name], streamMark) === undefined)
        if (jsonSchema.required.length === 0) delete jsonSchema.required
      }
    },
  })
  delete json.$schema
  return json
}

function marked3(schema, io) {
  const read = (inner) => zod3ToJsonSchema(inner, io, (field) => markedSchema(field, read))
  const json = read(schema)
  const shape = typeof schema._def.shape === 'function' ? schema._def.shape() : {}
  const required = json.required?.filter((name) => findMark(shape[name], streamMark) === undefined)
  if (required?.length) return { ...json, required }
  const { required: _none, ...rest } = json
  return rest
}

function markedSchema(schema, read) {
  const def = defOf(schema)
  if (def[fileMark]) return { type: 'string', format: 'file' }
  if (typeof def[binaryMark] === 'string')
    return { type: 'string', format: 'binary', contentMediaType: def[binaryMark] }
  if (def[streamMark]) return { type: 'array', format: 'stream', items: read(def[streamMark]) }
  return undefined
}

const isLive = (field) => field?.format === 'stream'

// Values of live fields travel over the socket, so no request and no output can be required to have them.
function withoutLiveDemands(schema) {
  const { required: asked, ...others } = schema
  const required = Array.isArray(asked) ? asked.filter((name) => !isLive(schema.properties?.[name])) : asked
  if (required?.length === asked?.length) return schema
  return required.length === 0 ? others : { ...others, required }
}

export function hasLiveFields(schema) {
  if (isZod(schema)) {
    const { shape } = defOf(schema)
    return Object.values((typeof shape === 'function' ? shape() : shape) ?? {}).some(
      (field) => findMark(field, streamMark) !== undefined,
    )
  }
  return Object.values(schema?.properties ?? {}).some(isLive)
}

// A mark survives wrapping (optional, default, describe, pipe), so the wrappers are searched.
function findMark(schema, mark, depth = 0) {
  if (!schema || depth > 8) return undefined
  const def = defOf(schema)
  if (def[mark] !== undefined) return def[mark]
  for (const inner of [def.innerType, def.schema, def.in, def.out]) {
    const found = findMark(inner, mark, depth + 1)
    if (found !== undefined) return found
  }
  return undefined
}
