// The version that the server, its telemetry and its documents show.
import manifest from '../../../package.json' with { type: 'json' }

export const version: string = manifest.version
