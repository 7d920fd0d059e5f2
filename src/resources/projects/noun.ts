import {
  CREATION_FIELDS,
  defineArchivePart,
  defineRecord,
  NonNegativeInteger,
  NullableTimestamp,
  UserId,
} from '#resources/noun.ts'
import { Id, List, StrictObject } from '#wire/schema-builders.ts'
import { Project, ProjectPrefix } from './contract.ts'
import { projectJson } from './store.ts'

export const projectRecord = defineRecord('project', {
  schema: Project,
  events: {
    created: 'A project was created.',
    updated: 'A project was changed or archived.',
  },
  table: 'projects',
  idPrefix: 'prj',
  rank: 2,
  of: 'workspace',
  json: projectJson,
})

const project = Project.properties

export const archivedProjects = defineArchivePart({
  line: StrictObject({
    id: Id('prj'),
    name: project.name,
    prefix: project.prefix,
    former_prefixes: List(ProjectPrefix()),
    description: project.description,
    color: project.color,
    icon: project.icon,
    archived_at: NullableTimestamp,
    lead_id: project.lead_id,
    visibility: project.visibility,
    start_date: project.start_date,
    target_date: project.target_date,
    statuses: project.statuses,
    last_number: NonNegativeInteger,
    people_ids: List(UserId),
    ...CREATION_FIELDS,
  }),
  table: 'projects',
  json: ['statuses'],
  related: {
    former_prefixes: {
      table: 'project_prefixes',
      of: 'project_id',
      columns: ['prefix'],
      order: 'prefix',
    },
    people_ids: {
      table: 'project_people',
      of: 'project_id',
      columns: ['user_id'],
      order: 'user_id',
    },
  },
  people: ['lead_id', 'created_by_id', 'people_ids'],
})
