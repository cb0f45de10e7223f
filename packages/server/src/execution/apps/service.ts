// The app functions that other features and the start-up code may call.
export { type Alias, removeAlias, setAlias } from './aliases.ts'
export { zipFiles } from './bundle-zip.ts'
export { type DeployOptions, deployApp } from './deploy.ts'
export type { Version } from './dto.ts'
export { appSummaries, findOwnVersion, get as getApp, readableApp, versionSummary } from './lookup.ts'
export {
  type RunTarget,
  type RunTargetRequest,
  recentRunTarget,
  resolveForRun,
  validateAgainst,
} from './run-target.ts'
export { compileSchema } from './schemas.ts'
export { shippedAppsAreThere } from './shipped.ts'
export { priceOfApp, pricingOf, setListing, setPricing } from './store-front.ts'
/** Loads a version for an engine, even if its app was deleted. */
export { loadVersion as runnableVersion } from './versions.ts'
