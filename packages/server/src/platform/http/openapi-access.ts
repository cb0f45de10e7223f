// The access to an operation in words, for the API reference.
import { canBePublicRead } from '@millrace/contract/scopes'
import type { Operation } from '../core/operation.ts'

export const describeAccess = (operation: Operation): string => {
  const lines: string[] = []
  if (operation.scope === 'public') lines.push('No credential needed.')
  else if (operation.scope === 'optional') lines.push('A credential is optional.')
  else if (operation.scope === 'authenticated') lines.push('Any credential.')
  else {
    const or = operation.orScope ? ` or \`${operation.orScope}\`` : ''
    const and = operation.andScope ? ` and \`${operation.andScope}\`` : ''
    lines.push(`Scope \`${operation.scope}\`${or}${and}.`)
  }
  if (operation.checkedScopes) {
    const scopes = operation.checkedScopes.map((scope) => `\`${scope}\``)
    lines.push(`Parts of a call also need ${scopes.join(', ')}.`)
  }
  if (operation.publicRows && canBePublicRead(operation.scope)) lines.push('Without it, public rows only.')
  if (operation.role) lines.push(`Workspace role \`${operation.role}\`.`)
  if (operation.capability) lines.push(`Workspace capability \`${operation.capability}\`.`)
  if (operation.browserOnly) lines.push('Browser session only.')
  return lines.join(' ')
}
