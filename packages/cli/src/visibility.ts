// The names of visibilities. A workspace is a `team` on the wire.
import type { Visibility } from '@millrace/contract/common'
import { type CommandOption, type Options, text } from './command.ts'
import { usage } from './failures.ts'

export const visibilityNames: Readonly<Record<Visibility, string>> = {
  private: 'private',
  team: 'workspace',
  org: 'organization',
  unlisted: 'unlisted',
  public: 'public',
}

export const visibilityOption = (allowed: readonly Visibility[]): CommandOption => [
  '--visibility <visibility>',
  allowed.map((one) => visibilityNames[one]).join(', '),
]

export const visibilityOf = <Allowed extends Visibility>(
  options: Options,
  allowed: readonly Allowed[],
): Allowed | undefined => {
  const given = text(options, 'visibility')
  const found = allowed.find((one) => visibilityNames[one] === given)
  if (given !== undefined && found === undefined)
    throw usage(`--visibility must be one of ${allowed.map((one) => visibilityNames[one]).join(', ')}`)
  return found
}
