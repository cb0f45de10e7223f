// SQL of conversations that clients send with each request.
import type { Db } from '#platform/db/database.ts'

type Conversation = { chatId: string; teamId: string; userId: string; digest: string; runId: string }

export const upsertConversation = async (
  db: Db,
  { chatId, teamId, userId, digest, runId }: Conversation,
): Promise<void> => {
  const row = { team_id: teamId, user_id: userId, digest, run_id: runId }
  await db
    .insertInto('openai_conversations')
    .values({ chat_id: chatId, ...row })
    .onConflict((conflict) => conflict.column('chat_id').doUpdateSet(row))
    .execute()
}

/** The latest chat with this conversation in which nothing happened since. */
export const findConversation = async (
  db: Db,
  { teamId, userId, digest }: Omit<Conversation, 'chatId' | 'runId'>,
): Promise<string | undefined> => {
  const row = await db
    .selectFrom('openai_conversations')
    .innerJoin('chats', 'chats.id', 'openai_conversations.chat_id')
    .select('chats.id')
    .where('openai_conversations.team_id', '=', teamId)
    .where('openai_conversations.user_id', '=', userId)
    .where('openai_conversations.digest', '=', digest)
    .where('chats.team_id', '=', teamId)
    .where('chats.user_id', '=', userId)
    .where('chats.deleted_at', 'is', null)
    .where('chats.active_run_id', 'is', null)
    .where('openai_conversations.run_id', '=', (query) =>
      query
        .selectFrom('agent_runs')
        .select('agent_runs.id')
        .whereRef('agent_runs.chat_id', '=', 'chats.id')
        .orderBy('agent_runs.created_at', 'desc')
        .orderBy('agent_runs.place', 'desc')
        .limit(1),
    )
    .orderBy('chats.updated_at', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.id
}
