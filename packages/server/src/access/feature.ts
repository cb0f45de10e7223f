// Access: keys, scopes, roles, audit, limits and entitlements.
import type { Feature } from '../core/feature.ts'
import { accessOperations } from './operations.ts'

export const accessFeature: Feature = { name: 'access', operations: accessOperations }
