/** The roles of a workspace, the one with the most rights first (docs/spec/api.md#roles-and-visibility). */
export const ROLES = ['owner', 'admin', 'member', 'guest'] as const
export type Role = (typeof ROLES)[number]

/**
 * The rights that a role has for all records of its workspace. The lead of a project, and the author of
 * a record, have more rights for that one.
 */
export const RIGHTS = {
  /** Delete, restore and export the workspace, change its plan and who are its owners. */
  own_workspace: ['owner'],
  /** Manage members, keys, webhooks, applications and imports, and read events and the audit log. */
  manage_workspace: ['owner', 'admin'],
  /** Change and delete what others have written: comments, time, files, shared views, projects. */
  change_work_of_others: ['owner', 'admin'],
  see_all_projects: ['owner', 'admin'],
  /** See the projects that are visible to the workspace, and those that they lead. */
  see_open_projects: ['owner', 'admin', 'member'],
  /** Create projects and tags, templates and shared views, and delete tasks of others. */
  shape_projects: ['owner', 'admin', 'member'],
} as const satisfies Record<string, readonly Role[]>

export type Right = keyof typeof RIGHTS
export const RIGHT_NAMES = Object.keys(RIGHTS) as Right[]

/** The roles that have a right. */
export const rolesWith = (right: Right): readonly Role[] => RIGHTS[right]

/** Each role with its rights, in the order of the roles: the table as the web app receives it. */
export const ROLE_RIGHTS = ROLES.map((role) => ({
  role,
  rights: RIGHT_NAMES.filter((right) => rolesWith(right).includes(role)),
}))
