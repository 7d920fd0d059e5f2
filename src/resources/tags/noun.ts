import { CREATION_FIELDS, defineArchivePart, defineRecord } from '#resources/noun.ts'
import { Id, StrictObject } from '#wire/schema-builders.ts'
import { Tag } from './contract.ts'
import { tagJson } from './store.ts'

export const tagRecord = defineRecord('tag', {
  schema: Tag,
  events: {
    created: 'A tag was created.',
    updated: 'A tag got another name or color.',
    deleted: 'A tag was deleted, or merged into another one.',
  },
  table: 'tags',
  idPrefix: 'tag',
  rank: 3,
  of: 'project',
  json: tagJson,
})

export const archivedTags = defineArchivePart({
  line: StrictObject({
    id: Id('tag'),
    project_id: Id('prj'),
    name: Tag.properties.name,
    color: Tag.properties.color,
    ...CREATION_FIELDS,
  }),
  table: 'tags',
  people: ['created_by_id'],
  projects: ['project_id'],
})
