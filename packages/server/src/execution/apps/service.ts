// What other features and the start-up code may ask of apps.
export { type Alias, removeAlias, setAlias } from './aliases.ts'
export { type DeployOptions, deployApp } from './deploy.ts'
export type { Version } from './dto.ts'
export { appSummaries, get as getApp, readableApp, versionSummary } from './lookup.ts'
export {
  type RunTarget,
  type RunTargetRequest,
  recallForRun,
  resolveForRun,
  validateAgainst,
} from './run-target.ts'
export { compileSchema } from './schemas.ts'
export { shippedAppsAreThere } from './shipped.ts'
export { pricingOf, setListing, setPricing } from './store-front.ts'
/** What an engine needs of a version, whatever has become of the app since. */
export { loadVersion as runnableVersion } from './versions.ts'
