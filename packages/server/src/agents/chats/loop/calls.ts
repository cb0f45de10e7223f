// Validation of a call before it is made: the tool exists, the arguments match its schema, and the subject that
// permission rules match. Errors are worded for the model. Pure.
import { isRecord } from '@millrace/contract/json'
import { canonicalJson } from '@millrace/contract/warm-key'
import type { CallSubject } from '#accounts/approvals/service.ts'
import { compileSchema } from '#execution/apps/service.ts'
import type { OfferedTool } from '../tools/offered.ts'
import type { RequestedCall } from './model-answer.ts'

const compiled = new WeakMap<object, ReturnType<typeof compileSchema>>()

/** An MCP server may send an invalid schema; then only that server validates the arguments. */
const open = { type: 'object' }

const compiledOrOpen = (parameters: Record<string, unknown>) => {
  try {
    return compileSchema(parameters)
  } catch {
    return compileSchema(open)
  }
}

const schemaFault = (parameters: Record<string, unknown>, value: unknown): string | null => {
  const entry = compiled.get(parameters) ?? compiledOrOpen(parameters)
  compiled.set(parameters, entry)
  return entry.fault(value, 'arguments')
}

export const checkCall = (
  call: Pick<RequestedCall, 'callId' | 'name' | 'arguments' | 'fault'>,
  tool: OfferedTool | undefined,
): { fault?: string } => {
  if (!tool) return { fault: `Tool ${call.name === '' ? 'without a name' : call.name} not found.` }
  if (call.fault !== undefined) return { fault: call.fault }
  if (!isRecord(call.arguments)) return { fault: 'The arguments must be a JSON object' }
  const fault = schemaFault(tool.parameters, call.arguments)
  return fault === null
    ? {}
    : { fault: `${fault}. The call was not made; call ${call.name} again with valid arguments.` }
}

/** The command line that rules match. */
const commandOf = (given: Record<string, unknown>): string =>
  [given.command, ...(Array.isArray(given.args) ? given.args : [])].map(String).join(' ')

export const subjectOf = (name: string, tool: OfferedTool | undefined, given: unknown): CallSubject => {
  const args = isRecord(given) ? given : {}
  if (tool?.operation === 'remote_exec')
    return {
      kind: 'RemoteExec',
      selector: String(args.remote_id ?? ''),
      text: commandOf(args),
      setsMore: Array.isArray(args.env) && args.env.length > 0,
    }
  if (tool?.type === 'mcp') return { kind: 'MCP', selector: tool.remote?.server ?? '', text: tool.remote?.tool ?? name }
  return { kind: 'Tool', selector: name, text: canonicalJson(args) }
}
