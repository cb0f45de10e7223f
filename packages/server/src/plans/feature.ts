// Plans: what a workspace may use, what it uses, and the refusal when it wants more.
import type { Feature } from '../core/feature.ts'
import { planOperations } from './operations.ts'

export const plansFeature: Feature = { name: 'plans', operations: planOperations }
