// Tools whose calls leave the server and are somebody else's business: a feature that brings such a kind registers it.
import type { Tool } from '@millrace/contract/agents'
import type { Member } from '#platform/core/actor.ts'
import type { Ctx, Platform } from '#platform/core/ctx.ts'
import { perPlatform } from '#platform/core/per-platform.ts'

export type ToolDefinition = {
  name: string
  description: string
  parameters: Record<string, unknown>
  /** Where the tool really is, and how it is called there: what rules speak about. */
  remote: { server: string; tool: string }
}

export type ToolOutcome =
  | { status: 'completed' | 'failed'; result: string; data?: unknown; used?: Record<string, unknown> }
  /** The other side asks a person something: `data` is what the person sees, and comes back with the answer. */
  | { status: 'awaiting_input'; data: Record<string, unknown> }
  /** A connection is missing; the call is made again once it is there. */
  | { status: 'auth_required'; provider: string; scopes?: readonly string[]; message: string }

export type ToolKind = {
  /**
   * The tools that one entry of an agent's config stands for; several when it names a whole server. Called inside of
   * transactions, so nobody is asked: undefined when somebody would have to be.
   */
  describe(ctx: Ctx<Member>, tool: Tool): Promise<ToolDefinition[] | undefined>
  /** Asks for what `describe` does not know, outside of every transaction. */
  learn(ctx: Ctx<Member>, tool: Tool): Promise<void>
  /** Throws unless what a person said answers the question that the data holds. */
  assertAnswers(data: unknown, result: string): void
  /** Makes the call, outside of every transaction. `answer`: what a person said, and the data of the question. */
  call(
    ctx: Ctx<Member>,
    tool: Tool,
    call: {
      name: string
      arguments: Record<string, unknown>
      answer?: { result: string; data: unknown }
      /** Of the trace that the call is part of; empty without one. */
      traceparent: string
    },
  ): Promise<ToolOutcome>
}

const registered = perPlatform(() => new Map<string, ToolKind>())

/** A built-in tool that another feature brings; what is started ends by `endToolCall`. */
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
