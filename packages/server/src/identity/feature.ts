// Identity: people, workspaces, memberships, and the ways to sign in.
import type { Feature } from '../core/feature.ts'

export const identityFeature: Feature = { name: 'identity', operations: [] }
