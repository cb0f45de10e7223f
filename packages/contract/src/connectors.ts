// Schemas of connectors: apps that are generated from the description of a service.
import Type, { type Static } from 'typebox'
import { App, SecretRequirement } from './apps.ts'
import { JsonObject } from './common.ts'

export const maxConnectorFunctions = 200
export const maxOpenApiBytes = 12 * 1024 * 1024

const Names = Type.Array(Type.String({ minLength: 1, maxLength: 300 }), { maxItems: maxConnectorFunctions })

export const OpenApiSource = Type.Object({
  document: Type.Optional(Type.String({ maxLength: maxOpenApiBytes, description: 'JSON or YAML; or `url`' })),
  url: Type.Optional(Type.String({ maxLength: 2048, description: 'The server fetches the document from here' })),
  server_url: Type.Optional(
    Type.String({ maxLength: 2048, description: 'Address of the service; default: the first server of the document' }),
  ),
  tags: Type.Optional(Names),
  operations: Type.Optional(Names),
  provider: Type.Optional(
    Type.String({ maxLength: 128, description: 'A connection to this provider supplies the bearer token' }),
  ),
})
export type OpenApiSource = Static<typeof OpenApiSource>

const Variable = Type.String({ maxLength: 128, pattern: '^[A-Za-z_][A-Za-z0-9_]*$' })

export const NpmSource = Type.Object({
  package: Type.String({ maxLength: 214, pattern: '^(@[a-z0-9~-][a-z0-9._~-]*/)?[a-z0-9~-][a-z0-9._~-]*$' }),
  version: Type.Optional(
    Type.String({
      maxLength: 64,
      pattern: '^[A-Za-z0-9][A-Za-z0-9.+-]*$',
      description: 'Version or tag; default: latest',
    }),
  ),
  command: Type.Optional(
    Type.String({ maxLength: 100, pattern: '^[A-Za-z0-9][A-Za-z0-9._-]*$', description: 'If the package has several' }),
  ),
  args: Type.Optional(
    Type.Array(Type.String({ maxLength: 1_000 }), {
      maxItems: 50,
      description: 'Arguments of the command; `{data}` is the folder that the app keeps between runs',
    }),
  ),
  env: Type.Optional(Type.Record(Type.String(), Type.String({ maxLength: 4_000 }))),
  secrets: Type.Optional(
    Type.Array(Variable, { maxItems: 50, description: 'Secrets that the package receives as environment variables' }),
  ),
  provider: Type.Optional(
    Type.String({ minLength: 1, maxLength: 128, description: 'A connection that supplies environment variables' }),
  ),
  install_scripts: Type.Optional(Type.Boolean({ description: 'Runs install scripts of packages; default: false' })),
})
export type NpmSource = Static<typeof NpmSource>

export const CreateConnector = Type.Object({
  name: Type.Optional(
    Type.String({ minLength: 1, maxLength: 64, description: 'Default: from the title or the package' }),
  ),
  openapi: Type.Optional(OpenApiSource),
  npm: Type.Optional(NpmSource),
  promote: Type.Optional(
    Type.Boolean({ description: 'Activates a version that removes or changes functions; default: it is staged' }),
  ),
})
export type CreateConnector = Static<typeof CreateConnector>

export const CompleteConnector = Type.Object({
  task_id: Type.String({ minLength: 1, maxLength: 64, description: 'The run of the function `discovery`' }),
  accept_license: Type.Optional(Type.Boolean({ description: 'Required for a package that states no license' })),
  promote: CreateConnector.properties.promote,
})
export type CompleteConnector = Static<typeof CompleteConnector>

export const Tool = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 300 }),
  description: Type.String(),
  inputSchema: JsonObject,
  annotations: JsonObject,
})
export type Tool = Static<typeof Tool>

/** The result of the run that reads the tools of a package. */
export const ToolList = Type.Object({
  package: Type.Object({
    name: Type.String(),
    version: Type.String({ maxLength: 64, pattern: '^[A-Za-z0-9][A-Za-z0-9.+-]*$' }),
    license: Type.String({ maxLength: 1_000 }),
  }),
  tools: Type.Array(Tool, { maxItems: maxConnectorFunctions }),
  lock: Type.String({ maxLength: 4_000_000 }),
})

const FunctionNames = Type.Array(Type.String())

export const Connector = Type.Object({
  app: App,
  functions: FunctionNames,
  changes: Type.Object({ added: FunctionNames, removed: FunctionNames, changed: FunctionNames }),
  staged: Type.Boolean({ description: 'The version waits for its promotion' }),
  hosts: Type.Array(Type.String(), { description: 'The only hosts that the app calls' }),
  required_secrets: Type.Array(SecretRequirement),
  discovery: Type.Optional(
    Type.String({ description: 'Run this function, then complete the connector with the id of the run' }),
  ),
  skipped: Type.Array(Type.Object({ operation: Type.String(), reason: Type.String() })),
})
export type Connector = Static<typeof Connector>
