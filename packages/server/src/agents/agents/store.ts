// SQL of agents and their versions. Rows include the organization of the owning workspace, which visibility checks
// need.
import { isShortId } from '@millrace/contract/ids'
import type { InferResult, Insertable, Selectable, Updateable } from 'kysely'
import type { Db } from '#platform/db/database.ts'
import { idMatches } from '#platform/db/ids.ts'
import { shortRead } from '#platform/db/prepared.ts'
import type { Database } from '#platform/db/schema.gen.ts'
import { movedColumns, type TeamMove } from '#platform/tenancy/named-rows.ts'
import { defaultVisibility, teamOrg } from '#platform/tenancy/visibility.ts'

/** Every live agent; the caller adds the conditions. */
export const selectAgents = (db: Db) =>
  db.selectFrom('agents').selectAll('agents').select(teamOrg('agents')).where('agents.deleted_at', 'is', null)

export type AgentRow = InferResult<ReturnType<typeof selectAgents>>[number]

const agentsOfId = shortRead((db, id: string) => selectAgents(db).where('agents.id', '=', id))
const agentsOfRef = shortRead((db, namespace: string, name: string) =>
  selectAgents(db).where('agents.namespace', '=', namespace).where('agents.name', '=', name),
)

/** By full or short id; an ambiguous short id matches nothing. */
export const findAgent = async (db: Db, id: string): Promise<AgentRow | undefined> => {
  const rows = isShortId(id)
    ? await selectAgents(db).where(idMatches('agents.id', id)).limit(2).execute()
    : await agentsOfId(db, id)
  return rows.length === 1 ? rows[0] : undefined
}

export const lockAgent = async (db: Db, id: string): Promise<AgentRow | undefined> => {
  const rows = await selectAgents(db).where(idMatches('agents.id', id)).limit(2).forUpdate('agents').execute()
  return rows.length === 1 ? rows[0] : undefined
}

export const findAgentByRef = async (db: Db, namespace: string, name: string): Promise<AgentRow | undefined> =>
  (await agentsOfRef(db, namespace, name))[0]

/** Includes deleted agents, because existing chats continue to use them. */
export const findAgentsByIds = (db: Db, ids: readonly string[]): Promise<AgentRow[]> =>
  db
    .selectFrom('agents')
    .selectAll('agents')
    .select(teamOrg('agents'))
    .where('agents.id', 'in', [...ids])
    .execute()

/** False if a live agent already has the ref. */
export const insertAgent = async (db: Db, agent: Insertable<Database['agents']>): Promise<boolean> => {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('agents')
    .values({ visibility: defaultVisibility(agent.team_id), ...agent })
    .onConflict((conflict) => conflict.columns(['namespace', 'name']).where('deleted_at', 'is', null).doNothing())
    .executeTakeFirstOrThrow()
  return numInsertedOrUpdatedRows === 1n
}

export const updateAgent = async (db: Db, id: string, change: Updateable<Database['agents']>): Promise<void> => {
  await db.updateTable('agents').set(change).where('id', '=', id).where('deleted_at', 'is', null).execute()
}

/** Only its owner uses a machine. */
export const isRemoteOf = async (db: Db, id: string, { teamId, userId }: { teamId: string; userId: string }) => {
  const found = await db
    .selectFrom('remotes')
    .select('id')
    .where('id', '=', id)
    .where('team_id', '=', teamId)
    .where('user_id', '=', userId)
    .where('deleted_at', 'is', null)
    .limit(1)
    .executeTakeFirst()
  return found !== undefined
}

export const findHarness = async (db: Db, remoteId: string, profileId: string): Promise<string | undefined> => {
  const found = await db
    .selectFrom('remote_profiles')
    .select('harness_kind')
    .where('remote_id', '=', remoteId)
    .where('id', '=', profileId)
    .limit(1)
    .executeTakeFirst()
  return found?.harness_kind
}

/** The harness of an agent without a machine: our own model loop. */
export const ownLoop = 'inference'

/** Detaches agents from a deleted machine. */
export const forgetRemote = async (db: Db, remoteId: string, now: string): Promise<void> => {
  await db
    .updateTable('agents')
    .set({ remote_id: null, profile_id: null, harness: ownLoop, updated_at: now })
    .where('remote_id', '=', remoteId)
    .execute()
}

/** Clears the project and the machine, which belong to the old workspace. */
export const moveAgent = async (db: Db, id: string, to: TeamMove): Promise<void> => {
  await db
    .updateTable('agents')
    .set({ ...movedColumns('agents', to), project_id: null, remote_id: null, profile_id: null, harness: ownLoop })
    .where('id', '=', id)
    .execute()
}

export type VersionRow = Selectable<Database['agent_versions']>

export const selectVersions = (db: Db, agentId: string) =>
  db.selectFrom('agent_versions').selectAll().where('agent_versions.agent_id', '=', agentId)

export const findVersionsByIds = (db: Db, ids: readonly string[]): Promise<VersionRow[]> =>
  db
    .selectFrom('agent_versions')
    .selectAll()
    .where('id', 'in', [...ids])
    .execute()

export const findVersionOfAgent = async (db: Db, agentId: string, id: string): Promise<VersionRow | undefined> => {
  const rows = await selectVersions(db, agentId).where(idMatches('agent_versions.id', id)).limit(2).execute()
  return rows.length === 1 ? rows[0] : undefined
}

export const insertVersion = (db: Db, version: Insertable<Database['agent_versions']>): Promise<VersionRow> =>
  db.insertInto('agent_versions').values(version).returningAll().executeTakeFirstOrThrow()

export const findAdHocVersion = (db: Db, teamId: string, name: string, hash: string): Promise<VersionRow | undefined> =>
  db
    .selectFrom('agent_versions')
    .selectAll()
    .where('team_id', '=', teamId)
    .where('name', '=', name)
    .where('content_hash', '=', hash)
    .where('agent_id', 'is', null)
    .limit(1)
    .executeTakeFirst()

/** Undefined if a concurrent call stored the same version. */
export const insertAdHocVersion = (db: Db, version: Insertable<Database['agent_versions']>) =>
  db
    .insertInto('agent_versions')
    .values(version)
    .onConflict((conflict) =>
      conflict.columns(['team_id', 'name', 'content_hash']).where('agent_id', 'is', null).doNothing(),
    )
    .returningAll()
    .executeTakeFirst()

export const insertSecrets = async (
  db: Db,
  rows: readonly Insertable<Database['agent_version_secrets']>[],
): Promise<void> => {
  if (rows.length > 0)
    await db
      .insertInto('agent_version_secrets')
      .values([...rows])
      .execute()
}

export const findSecret = (db: Db, versionId: string, tool: string) =>
  db
    .selectFrom('agent_version_secrets')
    .selectAll()
    .where('version_id', '=', versionId)
    .where('tool', '=', tool)
    .limit(1)
    .executeTakeFirst()

export const countAgents = async (db: Db, teamId: string): Promise<number> => {
  const { count } = await db
    .selectFrom('agents')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('team_id', '=', teamId)
    .where('deleted_at', 'is', null)
    .executeTakeFirstOrThrow()
  return Number(count)
}
