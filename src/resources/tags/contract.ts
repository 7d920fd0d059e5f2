import { Type } from 'typebox'
import { OneProject } from '#resources/projects/contract.ts'
import { endpoint } from '#wire/endpoint.ts'
import {
  Body,
  Color,
  Fields,
  Id,
  Line,
  ListQuery,
  Optional,
  PageOf,
  Search,
  type Static,
  Timestamp,
  Whole,
} from '#wire/schema.ts'

export type Tag = Static<typeof Tag>
export const Tag = Type.Object(
  {
    id: Id('tag'),
    project_id: Id('prj'),
    name: Line(1, 50, { description: 'Unique in its project, whatever its case.' }),
    color: Color({ default: '#6b7280' }),
    task_count: Whole(0, Number.MAX_SAFE_INTEGER, {
      description: 'Tasks that bear it, deleted ones left out.',
    }),
    created_by_id: Id('usr'),
    created_at: Timestamp(),
    updated_at: Timestamp(),
  },
  { title: 'Tag', additionalProperties: false },
)

const { name, color } = Tag.properties
const OneTag = Fields({ id: Id('tag') })
const common = { limit: 'workspace', tag: 'Tags' } as const

export const listTags = endpoint({
  ...common,
  method: 'GET',
  path: '/api/v1/projects/:id/tags',
  scope: 'tags:read',
  summary: 'List the tags of a project',
  params: OneProject,
  query: ListQuery(['name', 'created_at'], { q: Search }),
  reply: PageOf(Tag),
})

export const createTag = endpoint({
  ...common,
  method: 'POST',
  path: '/api/v1/projects/:id/tags',
  scope: 'tags:write',
  summary: 'Create a tag in a project',
  params: OneProject,
  body: Body({ name, color: Optional(color) }, Tag),
  reply: Tag,
  status: 201,
  location: '/api/v1/tags/:id',
  dryRun: true,
})

export const getTag = endpoint({
  ...common,
  method: 'GET',
  path: '/api/v1/tags/:id',
  scope: 'tags:read',
  summary: 'Get a tag',
  params: OneTag,
  reply: Tag,
  conditions: 'compared',
})

export const updateTag = endpoint({
  ...common,
  method: 'PATCH',
  path: '/api/v1/tags/:id',
  scope: 'tags:write',
  summary: 'Update a tag',
  params: OneTag,
  body: Body({ name: Optional(name), color: Optional(color) }, Tag),
  reply: Tag,
  dryRun: true,
  conditions: 'compared',
})

export const deleteTag = endpoint({
  ...common,
  method: 'DELETE',
  path: '/api/v1/tags/:id',
  scope: 'tags:delete',
  summary: 'Delete a tag',
  description: 'Takes it off all tasks, without events and without a new version of them.',
  params: OneTag,
  dryRun: true,
  conditions: 'compared',
})
