// Vaults: named groups of a workspace's secrets and credentials.
import type { Feature } from '#platform/core/feature.ts'
import { vaultOperations } from './operations.ts'

export const vaultsFeature: Feature = { name: 'vaults', operations: vaultOperations }
