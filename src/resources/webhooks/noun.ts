import { CREATION_FIELDS, defineArchivePart } from '#resources/noun.ts'
import { Id, StrictObject } from '#wire/schema-builders.ts'
import { Webhook } from './contract.ts'

const { url, description, events, project_ids } = Webhook.properties

export const archivedWebhooks = defineArchivePart({
  line: StrictObject({
    id: Id('whk'),
    url,
    description,
    events,
    project_ids,
    ...CREATION_FIELDS,
  }),
  table: 'webhooks',
  json: ['events', 'project_ids'],
  people: ['created_by_id'],
  projects: ['project_ids'],
})
