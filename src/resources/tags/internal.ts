import { endpoint } from '#wire/endpoint.ts'
import { IdReference, PathId, StrictObject } from '#wire/schema-builders.ts'
import { Tag } from './contract.ts'

export const mergeTag = endpoint({
  scope: 'session',
  limit: 'session',
  tag: 'Tags',
  method: 'POST',
  path: '/internal/tags/:id/merge',
  grantsLastingAccess: false,
  summary: 'Merge a tag into another one of the project',
  description:
    'Its tasks get the other tag, without events and without a new `version` of theirs, the templates of the project as well, and it is deleted.',
  params: PathId('tag'),
  body: StrictObject({
    into_id: IdReference('tag', { description: 'The tag that its tasks get.' }),
  }),
  reply: Tag,
})
