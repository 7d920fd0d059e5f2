import { notFound } from '#core/api-error.ts'
import { projectsAfter } from '#db/installation/record-lists.ts'
import { fromJson } from '#lib/json.ts'
import { ProjectPrefix } from '#resources/projects/contract.ts'
import { addProject } from '#resources/projects/create-project.ts'
import { addMemberToProject, assertLeadHasAccess } from '#resources/projects/people.ts'
import { workspaceOfProject } from '#resources/projects/store.ts'
import { changeProject } from '#resources/projects/write-operations.ts'
import { Optional, SingleLineText, StringEnum } from '#wire/schema-builders.ts'
import {
  defineCommand,
  IdOption,
  MEMBER_ALTERNATIVES,
  MEMBER_OPTIONS,
  NameOption,
  VisibilityOption,
  WorkspaceOption,
} from '../arguments.ts'
import { type CliInstallation, findUserId, findUserIdIn, requireOwnerId } from '../installation.ts'
import { readPages } from '../output.ts'

const PrefixOption = ProjectPrefix({
  description: 'Prefix of short ids such as ENG',
})

const create = defineCommand({
  name: 'project create',
  summary: 'Create a project',
  options: {
    workspace: Optional(WorkspaceOption),
    name: NameOption,
    prefix: Optional(PrefixOption),
    visibility: Optional(VisibilityOption),
    lead: Optional(
      SingleLineText(1, 254, { description: 'Id or email address of the member who leads it' }),
    ),
  },
  async run({ writeWorkspace }, { workspace, name, prefix, visibility = 'workspace', lead }) {
    const project = await writeWorkspace(workspace, async (tx) => {
      const created_by_id = await requireOwnerId(tx)
      const lead_id = lead === undefined ? null : await findUserIdIn(tx, lead)
      const attributes = { name, prefix, visibility, lead_id, created_by_id }
      const created = await addProject(tx, attributes)
      const project_id = created.id
      if (lead_id !== null) await assertLeadHasAccess(tx, { project_id, lead_id }, 'lead')
      return created
    })
    return fromJson(project.json)
  },
})

const list = defineCommand({
  access: 'read',
  name: 'project list',
  summary: 'List the projects of a workspace, private and archived ones too',
  options: { workspace: Optional(WorkspaceOption) },
  async run({ readWorkspace }, { workspace }, printPages) {
    await printPages(
      readPages((page) => readWorkspace(workspace, (tx) => tx.all(projectsAfter, page))),
    )
    return undefined
  },
})

const update = defineCommand({
  name: 'project update',
  summary: 'Update, archive or unarchive a project',
  options: {
    project: IdOption('project'),
    name: Optional(NameOption),
    prefix: Optional(PrefixOption),
    visibility: Optional(VisibilityOption),
    archived: Optional(StringEnum(['true', 'false'])),
  },
  async run(installation, { project: id, archived, ...fields }) {
    const workspace = await requireWorkspaceOf(installation, id)
    const change = { ...fields, ...(archived && { archived: archived === 'true' }) }
    const project = await installation.writeWorkspace(workspace, (tx) =>
      changeProject(tx, id, change),
    )
    return fromJson(project.json)
  },
})

const addPerson = defineCommand({
  name: 'project add-person',
  summary: 'Add a member to a project',
  options: { project: IdOption('project'), ...MEMBER_OPTIONS },
  alternatives: MEMBER_ALTERNATIVES,
  async run(installation, { project: project_id, user, email }) {
    const workspace = await requireWorkspaceOf(installation, project_id)
    return installation.writeWorkspaceAuth(workspace, async (tx) => {
      const user_id = await findUserId(tx, { user, email })
      await addMemberToProject(tx, { project_id, user_id }, 'user')
      return { project_id, user_id }
    })
  },
})

export const projectCommands = [create, list, update, addPerson]

async function requireWorkspaceOf(
  { storage, installationActor: actor }: CliInstallation,
  id: string,
): Promise<string> {
  const project = await (await storage()).read(actor, (tx) => tx.one(workspaceOfProject, { id }))
  if (!project) throw notFound()
  return project.workspace_id
}
