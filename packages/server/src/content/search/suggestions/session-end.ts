// POST /session/end: a coding agent reports how its session ended. Never fails, because an ending agent cannot handle
// an error.
import type { EndSession } from '@millrace/contract/search'
import { type Actor, isMember } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { upsertSession } from './impressions-store.ts'

const maxSessionIdBytes = 128
const maxAgentBytes = 64
const maxTools = 64
const maxToolBytes = 128
const maxCount = 2 ** 31 - 1

const counted = (count = 0): number => Math.min(Math.max(count, 0), maxCount)

/** Truncates to a number of bytes without splitting a character. */
const cut = (text: string, maxBytes: number): string => {
  if (Buffer.byteLength(text) <= maxBytes) return text
  const whole = new TextDecoder('utf-8', { ignoreBOM: true }).decode(Buffer.from(text).subarray(0, maxBytes))
  return whole.replace(/\uFFFD$/, '')
}

/** The stored part of a report; null for none. */
export const readReport = (report: EndSession) => {
  const { session_id = '', agent = '', user_turns = 0, tools = [] } = report
  const tooLong = Buffer.byteLength(session_id) > maxSessionIdBytes || Buffer.byteLength(agent) > maxAgentBytes
  if (session_id === '' || tooLong || user_turns <= 0) return null
  return {
    session_id,
    agent,
    messages: counted(report.messages),
    user_turns: counted(user_turns),
    files_edited: counted(report.files_edited),
    tools: tools
      .filter((tool) => tool !== '')
      .slice(0, maxTools)
      .map((tool) => cut(tool, maxToolBytes)),
  }
}

export const endSession = async (ctx: Ctx<Actor>, report: EndSession): Promise<void> => {
  const stored = readReport(report)
  if (stored === null || !isMember(ctx.actor)) return
  const now = ctx.now().toISOString()
  const { teamId: team_id, userId: user_id } = ctx.actor
  await upsertSession(ctx.db, { ...stored, team_id, user_id, created_at: now, updated_at: now }).catch(
    (error: unknown) => ctx.log.warn({ err: error }, 'could not store the end of a session'),
  )
}
