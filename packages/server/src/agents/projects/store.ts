// SQL of projects and of the `project_id` columns of other resources.
import { type InferResult, type Insertable, type RawBuilder, type SqlBool, sql, type Updateable } from 'kysely'
import { aloneWith } from '#platform/db/alone.ts'
import type { Db } from '#platform/db/database.ts'
import { idMatches } from '#platform/db/ids.ts'
import type { Database } from '#platform/db/schema.gen.ts'
import { defaultVisibility, teamOrg } from '#platform/tenancy/visibility.ts'

export const selectProjects = (db: Db) => db.selectFrom('projects').selectAll('projects').select(teamOrg('projects'))

export type ProjectRow = InferResult<ReturnType<typeof selectProjects>>[number]

/** By full or short id; an ambiguous short id matches nothing. */
export const findProject = async (db: Db, id: string): Promise<ProjectRow | undefined> => {
  const rows = await selectProjects(db).where(idMatches('projects.id', id)).limit(2).execute()
  return rows.length === 1 ? rows[0] : undefined
}

/** `readable` is a condition on `projects`. */
export const findChildren = (
  db: Db,
  parentId: string,
  readable: RawBuilder<SqlBool>,
  limit: number,
): Promise<ProjectRow[]> =>
  selectProjects(db)
    .where('projects.parent_id', '=', parentId)
    .where(readable)
    .orderBy('projects.name')
    .orderBy('projects.id')
    .limit(limit)
    .execute()

/** Serializes changes to the project tree of a workspace. */
export const lockTree = (db: Db, teamId: string): Promise<void> => aloneWith(db, `projects ${teamId}`)

/** True if `ancestorId` is `id` or an ancestor of it. */
export const isBelow = async (db: Db, id: string, ancestorId: string): Promise<boolean> => {
  const { rows } = await sql<{ below: boolean }>`
    with recursive line (id, parent_id) as (
      select id, parent_id from projects where id = ${id}
      union select p.id, p.parent_id from line join projects p on p.id = line.parent_id
    ) select exists (select from line where id = ${ancestorId}) as below`.execute(db)
  return rows[0]?.below ?? false
}

export const insertProject = async (db: Db, project: Insertable<Database['projects']>): Promise<void> => {
  await db
    .insertInto('projects')
    .values({ visibility: defaultVisibility(project.team_id), ...project })
    .execute()
}

export const updateProject = async (db: Db, id: string, change: Updateable<Database['projects']>): Promise<void> => {
  await db.updateTable('projects').set(change).where('id', '=', id).execute()
}

/** Detaches its contents; its children move to its parent. */
export const deleteProject = async (db: Db, { id, parent_id }: ProjectRow): Promise<void> => {
  await sql`
    with agents as (update agents set project_id = null where project_id = ${id}),
    chats as (update chats set project_id = null where project_id = ${id}),
    triggers as (update triggers set project_id = null where project_id = ${id})
    update projects set parent_id = ${parent_id} where parent_id = ${id}`.execute(db)
  await db.deleteFrom('projects').where('id', '=', id).execute()
}

export const movableTables = ['agents', 'chats', 'triggers'] as const
export type MovableTable = (typeof movableTables)[number]

export type MovableRow = {
  id: string
  team_id: string
  user_id: string
  visibility: string
  team_org_id: string | null
  /** Set for a deleted chat, which its writers can no longer change. */
  deleted_at: string | null
}

/** A trigger has no visibility: every member of its workspace may change it. */
const visibilityOf: Record<MovableTable, ReturnType<typeof sql>> = {
  agents: sql`r.visibility`,
  chats: sql`r.visibility`,
  triggers: sql`'team'`,
}
const liveIn: Record<MovableTable, ReturnType<typeof sql>> = {
  agents: sql`r.deleted_at is null`,
  chats: sql`true`,
  triggers: sql`true`,
}
const deletedAtOf: Record<MovableTable, ReturnType<typeof sql>> = {
  agents: sql`r.deleted_at`,
  chats: sql`r.deleted_at`,
  triggers: sql`null`,
}

export const lockMovable = async (db: Db, table: MovableTable, id: string): Promise<MovableRow | undefined> => {
  const { rows } = await sql<MovableRow>`
    select r.id, r.team_id, r.user_id, ${visibilityOf[table]} as visibility, ${deletedAtOf[table]} as deleted_at,
      (select org_id from teams where teams.id = r.team_id) as team_org_id
    from ${sql.table(table)} r where ${idMatches('r.id', id)} and ${liveIn[table]} limit 2 for update of r`.execute(db)
  return rows.length === 1 ? rows[0] : undefined
}

export const setProject = async (
  db: Db,
  table: MovableTable,
  id: string,
  projectId: string | null,
  now: string,
): Promise<void> => {
  await sql`update ${sql.table(table)} set project_id = ${projectId}, updated_at = ${now}::timestamptz
    where id = ${id}`.execute(db)
}
