// Extension point for tools whose calls are executed by another feature outside of the server, such as MCP.
import type { Tool } from '@millrace/contract/agents'
import type { Member } from '#platform/core/actor.ts'
import type { Ctx, Platform } from '#platform/core/ctx.ts'
import { perPlatform } from '#platform/core/per-platform.ts'

export type ToolDefinition = {
  name: string
  description: string
  parameters: Record<string, unknown>
  /** The server and the tool's name there, which rules match. */
  remote: { server: string; tool: string }
}

export type ToolOutcome =
  | { status: 'completed' | 'failed'; result: string; data?: unknown; used?: Record<string, unknown> }
  /** The server asks the person for input: `data` is shown to the person and sent back with the answer. */
  | { status: 'awaiting_input'; data: Record<string, unknown> }
  /** A connection is missing; the call is retried after it is created. */
  | { status: 'auth_required'; provider: string; scopes?: readonly string[]; message: string }

export type ToolKind = {
  /**
   * The tools of one entry of an agent's config, which may be a whole server. Runs inside of transactions and makes no
   * requests: undefined if the tools are not discovered yet.
   */
  describe(ctx: Ctx<Member>, tool: Tool): Promise<ToolDefinition[] | undefined>
  /** Discovers the tools that `describe` does not know, outside of every transaction. */
  discover(ctx: Ctx<Member>, tool: Tool): Promise<void>
  /** Throws unless the answer matches the question in `data`. */
  assertAnswers(data: unknown, result: string): void
  /** Makes the call, outside of every transaction. `answer`: the person's answer with the data of the question. */
  call(
    ctx: Ctx<Member>,
    tool: Tool,
    call: {
      name: string
      arguments: Record<string, unknown>
      answer?: { result: string; data: unknown }
      /** The trace context of the call; empty without one. */
      traceparent: string
    },
  ): Promise<ToolOutcome>
}

const registered = perPlatform(() => new Map<string, ToolKind>())

/** A built-in tool of another feature. Asynchronous work ends with `endToolCall`. */
export type BuiltInTool = (
  ctx: Ctx<Member>,
  call: { id: string; runId: string; arguments: Record<string, unknown> },
) => Promise<ToolOutcome | { status: 'started'; executionId: string }>

const builtIns = perPlatform(() => new Map<string, BuiltInTool>())

export const registerBuiltInTool = (platform: Platform, operation: string, tool: BuiltInTool): void => {
  builtIns(platform).set(operation, tool)
}

export const builtInTool = (platform: Platform, operation: string): BuiltInTool | undefined =>
  builtIns(platform).get(operation)

export const registerToolKind = (platform: Platform, type: 'mcp', kind: ToolKind): void => {
  registered(platform).set(type, kind)
}

export const toolKind = (platform: Platform, type: string): ToolKind | undefined => registered(platform).get(type)
