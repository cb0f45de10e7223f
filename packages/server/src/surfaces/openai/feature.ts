// The routes for OpenAI clients.
import type { Feature } from '#platform/core/feature.ts'
import { openAiOperations } from './operations.ts'

export const openAiFeature: Feature = { name: 'openai', operations: openAiOperations }
