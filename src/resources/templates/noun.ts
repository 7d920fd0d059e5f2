import { CREATION_FIELDS, defineArchivePart } from '#resources/noun.ts'
import { Id, StrictObject } from '#wire/schema-builders.ts'
import { Template } from './internal.ts'

export const archivedTemplates = defineArchivePart({
  line: StrictObject({
    id: Id('tpl'),
    project_id: Id('prj'),
    name: Template.properties.name,
    tasks: Template.properties.tasks,
    ...CREATION_FIELDS,
  }),
  table: 'templates',
  json: ['tasks'],
  people: ['created_by_id'],
  projects: ['project_id'],
})
