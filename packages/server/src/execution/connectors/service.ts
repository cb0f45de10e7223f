// Connectors: apps that are generated from the description of a service or from an npm package. The generated code is the
// same for every service and runs on engines, like any app.
import type { Connector, CreateConnector, OpenApiSource } from '@millrace/contract/connectors'
import { maxOpenApiBytes } from '@millrace/contract/connectors'
import { slugOf } from '@millrace/contract/refs'
import type { Ctx } from '#platform/core/ctx.ts'
import { fail } from '#platform/core/errors.ts'
import { bundleOf, deployConnector } from './deploy.ts'
import { nameOfPackage, startNpmConnector } from './npm.ts'
import { convertFor } from './openapi/thread.ts'

const maxDescription = 200

const documentOf = async (ctx: Ctx, { document, url }: OpenApiSource): Promise<string> => {
  if ((document === undefined) === (url === undefined))
    throw fail('validation_error', 'openapi: pass either `document` or `url`')
  if (document !== undefined) return document
  const response = await ctx.outbound.fetch(url ?? '', { maxBytes: maxOpenApiBytes })
  if (!response.ok) throw fail('validation_error', `openapi.url: the host answered ${response.status}`)
  return response.text()
}

/** Documents describe a service in pages; an app has one line. */
const shortened = (description: string): string => {
  const [line = ''] = description.split('\n')
  return line.length <= maxDescription ? line : `${line.slice(0, maxDescription - 1)}…`
}

const createFromOpenApi = async (ctx: Ctx, input: CreateConnector, source: OpenApiSource): Promise<Connector> => {
  const text = await documentOf(ctx, source)
  const { document: _, ...choice } = source
  const converted = await convertFor(ctx.actor.teamId, text, { ...choice, app: input.name })
  const { calls, functions, secrets, provider, hosts, skipped, title } = converted
  const name = input.name ?? slugOf(title)
  if (name === '') throw fail('validation_error', 'The document has no title; pass a `name`')
  const files = { 'operations.json': JSON.stringify(calls), 'functions_schema.json': JSON.stringify(functions) }
  return deployConnector(ctx, {
    name,
    title: title || name,
    description: shortened(converted.description),
    bundle: await bundleOf('openapi', files),
    version: {
      kernel: 'node-22',
      functions,
      metadata: { connector: { kind: 'openapi', hosts } },
      required_secrets: secrets,
      required_credentials: provider === null ? [] : [{ provider }],
    },
    hosts,
    skipped,
    staged: input.promote === true ? false : undefined,
  })
}

export const createConnector = (ctx: Ctx, input: CreateConnector): Promise<Connector> => {
  const { openapi, npm } = input
  if ((openapi === undefined) === (npm === undefined)) throw fail('validation_error', 'Pass either `openapi` or `npm`')
  if (openapi !== undefined) return createFromOpenApi(ctx, input, openapi)
  const source = npm ?? { package: '' }
  return startNpmConnector(ctx, input.name ?? slugOf(nameOfPackage(source.package)), source)
}
