// Schemas of projects: folders that group related resources.
import Type, { type Static } from 'typebox'
import { baseFields, Nullable, permissionFields, StringEnum } from './common.ts'

export const projectTypes = ['agent', 'app', 'flow', 'other'] as const

const plainFields = {
  ...baseFields,
  ...permissionFields,
  name: Type.String(),
  description: Type.String(),
  type: StringEnum(projectTypes),
  color: Type.Optional(Type.String()),
  icon: Type.Optional(Type.String()),
  parent_id: Type.Optional(Nullable(Type.String())),
}

/** A project as embedded in other resources. */
const PlainProject = Type.Object({ ...plainFields, children: Type.Array(Type.Object({ id: Type.String() })) })

export const Project = Type.Object({
  ...plainFields,
  parent: Type.Optional(Nullable(PlainProject)),
  children: Type.Array(PlainProject),
})
export type Project = Static<typeof Project>

const Name = Type.String({ minLength: 1, maxLength: 200, pattern: '\\S' })
const texts = {
  description: Type.Optional(Type.String({ maxLength: 10_000 })),
  color: Type.Optional(Type.String({ maxLength: 64 })),
  icon: Type.Optional(Type.String({ maxLength: 2048 })),
}

export const CreateProject = Type.Object({
  name: Name,
  type: StringEnum(projectTypes),
  ...texts,
  parent_id: Type.Optional(Type.String({ maxLength: 64 })),
})
export type CreateProject = Static<typeof CreateProject>

export const UpdateProject = Type.Object({
  name: Type.Optional(Name),
  type: Type.Optional(StringEnum(projectTypes)),
  ...texts,
  parent_id: Type.Optional(Nullable(Type.String({ maxLength: 64, description: 'Null or empty: the top level' }))),
})
export type UpdateProject = Static<typeof UpdateProject>

export const MoveToProject = Type.Object({
  project_id: Nullable(Type.String({ maxLength: 64, description: 'Null: remove it from its project' })),
  agent_id: Type.Optional(Type.String({ maxLength: 64 })),
  trigger_id: Type.Optional(Type.String({ maxLength: 64 })),
  chat_id: Type.Optional(Type.String({ maxLength: 64 })),
})
export type MoveToProject = Static<typeof MoveToProject>
