import type { Member } from '#resources/members/contract.ts'
import type { Project } from '#resources/projects/contract.ts'
import type { Boot } from '#resources/web-app/boot/contract.ts'
import type { View } from '#resources/web-app/views/internal.ts'
import type { Right, ROLE_RIGHTS, Role } from '#wire/rights.ts'

/** A member as far as rights depend on them: by their role, and for their own records by their id. */
type RightsHolder = Pick<Member, 'id' | 'role'>

let roleRights: typeof ROLE_RIGHTS = []

/** Sets what each role may do: the table that the server sends with the boot data. */
export const setRoleRights = (table: typeof ROLE_RIGHTS): void => {
  roleRights = table
}

/** Whether a person's role has a right (docs/spec/api.md#roles-and-visibility). */
export const hasRight = (person: Pick<RightsHolder, 'role'>, right: Right): boolean =>
  roleRights.some(({ role, rights }) => role === person.role && rights.includes(right))

/** Whether a person may give somebody a role, change the role of somebody who has it, or remove them. */
export const canGiveRole = (me: RightsHolder, role: Role): boolean =>
  hasRight(me, hasRight({ role }, 'own_workspace') ? 'own_workspace' : 'manage_workspace')

/** Whether a person may create another workspace; guests work in that of others. */
export const canCreateWorkspace = (
  me: Pick<RightsHolder, 'role'>,
  { signup }: Pick<Boot['settings'], 'signup'>,
): boolean => hasRight(me, 'own_workspace') || (signup === 'open' && hasRight(me, 'shape_projects'))

/** Whether a person sees a project, and so can be assigned in it. `people` is its people list. */
export function canSeeProject(
  person: RightsHolder,
  { visibility, lead_id }: Pick<Project, 'visibility' | 'lead_id'>,
  people: readonly Pick<Member, 'id'>[],
): boolean {
  if (hasRight(person, 'see_all_projects')) return true
  const isOpen = visibility === 'workspace' || lead_id === person.id
  if (isOpen && hasRight(person, 'see_open_projects')) return true
  return people.some(({ id }) => id === person.id)
}

/** Whether a person may change the settings of a project (docs/spec/api.md#writing-projects). */
export const canEditProjectSettings = (
  me: RightsHolder,
  { lead_id }: Pick<Project, 'lead_id'>,
): boolean => lead_id === me.id || hasRight(me, 'change_work_of_others')

/**
 * Whether a person may change a shared view: they made it, or may change its project, or the work of
 * others if it is one of all projects.
 */
export const canEditView = (
  me: RightsHolder,
  { created_by_id }: Pick<View, 'created_by_id'>,
  project: Pick<Project, 'lead_id'> | undefined,
): boolean => project?.lead_id === me.id || canChangeWorkOf(me, created_by_id)

/** Whether a person may delete a task, and restore it. */
export const canDeleteTask = (me: RightsHolder, created_by_id: string): boolean =>
  created_by_id === me.id || hasRight(me, 'shape_projects')

/** Whether a person may edit a comment: only its author. */
export const canEditComment = (me: Pick<RightsHolder, 'id'>, author_id: string): boolean =>
  author_id === me.id

/** Whether a person may delete a comment or file of somebody, or change and delete their time. */
export const canChangeWorkOf = (me: RightsHolder, user_id: string): boolean =>
  user_id === me.id || hasRight(me, 'change_work_of_others')
