// The key under which a worker keeps an app process warm, `app_id:version_id@setup`. Engine and server compute the same
// key, so that the scheduler prefers workers with a warm process. Equal keys are only a hint: the engine compares
// workspace, setup, environment and secrets before it reuses a process.

export type Warmth = { teamId: string | null | undefined; appId: string; versionId: string; setup: unknown }

// A process serves one workspace, so the last part also depends on the workspace. It is hashed, because users of the
// worker must not learn the workspace.
export const warmKey = ({ teamId, appId, versionId, setup }: Warmth): string =>
  `${appId}:${versionId}@${setupKey(setup, teamId ?? '')}`

export const setupKey = (setup: unknown, teamId: string): string => {
  const text = canonicalJson(setup)
  const isPlain = text === 'null' || text === '{}'
  if (isPlain && teamId === '') return ''
  return fnv1a64(isPlain ? teamId : `${teamId}\n${text}`)
}

// JSON with sorted keys, so that the order of keys does not matter.
export const canonicalJson = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (value !== null && typeof value === 'object') {
    const members = Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, member]) => `${JSON.stringify(key)}:${canonicalJson(member)}`)
    return `{${members.join(',')}}`
  }
  return JSON.stringify(value) ?? 'null'
}

const fnv1a64 = (text: string): string => {
  let hash = 0xcbf29ce484222325n
  for (const byte of new TextEncoder().encode(text)) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n)
  }
  return hash.toString(16).padStart(16, '0')
}
