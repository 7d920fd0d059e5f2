import { notFound } from '#core/refusal.ts'
import { fromJson } from '#lib/json.ts'
import { changeProject } from '#resources/projects/change.ts'
import { PREFIX } from '#resources/projects/contract.ts'
import { createProject } from '#resources/projects/create.ts'
import { showProject } from '#resources/projects/load.ts'
import { addToPeople, refuseBlindLead } from '#resources/projects/people.ts'
import { workspaceOfProject } from '#resources/projects/store.ts'
import { OneOf, Optional, Pattern } from '#wire/schema.ts'
import { command } from './command.ts'
import { type Installation, ownerOf } from './installation.ts'
import { IdOf, Name, Visibility } from './options.ts'

const Prefix = Pattern(PREFIX, { description: 'Prefix of short ids such as ENG' })

const create = command({
  name: 'project create',
  summary: 'Make a project',
  options: {
    workspace: IdOf('workspace'),
    name: Name,
    prefix: Optional(Prefix),
    visibility: Optional(Visibility),
    lead: Optional(IdOf('member who leads it')),
  },
  async run({ within }, { workspace, name, prefix, visibility = 'workspace', lead }) {
    const project = await within(workspace, async (tx) => {
      const created_by_id = await ownerOf(tx)
      const lead_id = lead ?? null
      const wanted = { name, prefix, visibility, lead_id, created_by_id }
      const id = await createProject(tx, wanted)
      if (lead_id !== null) await refuseBlindLead(tx, { project_id: id, lead_id }, 'lead')
      return showProject(tx, id)
    })
    return fromJson(project.json)
  },
})

const update = command({
  name: 'project update',
  summary: 'Change a project, archive it or take it out of the archive',
  options: {
    project: IdOf('project'),
    name: Optional(Name),
    prefix: Optional(Prefix),
    visibility: Optional(Visibility),
    archived: Optional(OneOf(['true', 'false'])),
  },
  async run(installation, { project: id, archived, ...wanted }) {
    const workspace = await workspaceOf(installation, id)
    const change = { ...wanted, ...(archived && { archived: archived === 'true' }) }
    const project = await installation.within(workspace, (tx) => changeProject(tx, id, change))
    return fromJson(project.json)
  },
})

const addPerson = command({
  name: 'project add-person',
  summary: 'Put a member into the people list of a project',
  options: { project: IdOf('project'), user: IdOf('member') },
  async run(installation, { project: project_id, user: user_id }) {
    const workspace = await workspaceOf(installation, project_id)
    await installation.binding(workspace, (tx) => addToPeople(tx, { project_id, user_id }, 'user'))
    return { project_id, user_id }
  },
})

export const projectCommands = [create, update, addPerson]

async function workspaceOf({ storage, unowned }: Installation, id: string): Promise<string> {
  const found = await (await storage()).read(unowned, (tx) => tx.one(workspaceOfProject, { id }))
  if (!found) throw notFound()
  return found.workspace_id
}
