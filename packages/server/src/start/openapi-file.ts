// Generates docs/openapi.json: the document that a server at the default address serves.

import { readExamples } from '#platform/http/examples.ts'
import { openApiDocument } from '#platform/http/openapi.ts'
import { version } from '#platform/settings/version.ts'
import { declaredRoutes, operations } from './app.ts'

export const openApiText = (): string =>
  `${JSON.stringify(openApiDocument(operations, { baseUrl: 'http://127.0.0.1:7700', version, examples: readExamples(), routes: declaredRoutes }), null, 2)}\n`
