import { Type } from 'typebox'
import { ProjectParams } from '#resources/projects/contract.ts'
import { bulkWritesEndpoint } from '#wire/bulk-endpoint.ts'
import { endpoint } from '#wire/endpoint.ts'
import { CREATED_AT, CREATED_BY_ID, UPDATED_AT } from '#wire/record-fields.ts'
import {
  Color,
  DEFAULT_COLOR,
  Id,
  IdReference,
  Integer,
  ListQuery,
  Named,
  Optional,
  PageOf,
  PathId,
  RecordId,
  RequestBody,
  SearchText,
  SingleLineText,
  type Static,
} from '#wire/schema-builders.ts'

/** The most tags of a task. */
export const MAX_TASK_TAGS = 50

const TagName = (more = '') =>
  SingleLineText(1, 50, {
    description: `The name of the tag, unique in its project regardless of case.${more}`,
  })

export type Tag = Static<typeof Tag>
export const Tag = Type.Object(
  {
    id: RecordId('tag'),
    project_id: Id('prj', { description: 'The project for whose tasks it is.' }),
    name: TagName(),
    color: Color({ description: 'The color in the app.' }),
    task_count: Integer(0, Number.MAX_SAFE_INTEGER, {
      description: 'The number of tasks that have the tag, without deleted ones.',
    }),
    created_by_id: CREATED_BY_ID,
    created_at: CREATED_AT,
    updated_at: UPDATED_AT,
  },
  {
    title: 'Tag',
    description: 'A tag, which labels tasks of its project.',
    additionalProperties: false,
  },
)

const TagParams = PathId('tag')
const COMMON = { limit: 'workspace', tag: 'Tags' } as const

export const listProjectTags = endpoint({
  ...COMMON,
  method: 'GET',
  path: '/api/v1/projects/:id/tags',
  scope: 'tags:read',
  operationId: 'listProjectTags',
  summary: 'List the tags of a project',
  description: 'With the number of tasks that have each tag.',
  params: ProjectParams,
  query: ListQuery(['name', 'created_at'], {
    q: SearchText('Only tags with a name in which each of these words is the beginning of a word.'),
  }),
  reply: PageOf(Tag),
})

export const createTag = endpoint({
  ...COMMON,
  method: 'POST',
  path: '/api/v1/projects/:id/tags',
  grantsLastingAccess: false,
  scope: 'tags:write',
  operationId: 'createTag',
  summary: 'Create a tag',
  description: 'The tag can be given to the tasks of the project.',
  params: ProjectParams,
  body: Named(
    'TagCreate',
    RequestBody(
      {
        name: TagName(),
        color: Optional(
          Color({
            default: DEFAULT_COLOR,
            description: `The color in the app. Default: \`${DEFAULT_COLOR}\`, a gray.`,
          }),
        ),
      },
      Tag,
    ),
    { description: 'A new tag.' },
  ),
  reply: Tag,
  status: 201,
  location: '/api/v1/tags/:id',
  dryRun: true,
  roles: 'Owners, admins and members.',
  errors: ['insufficient_role', 'project_archived', 'tag_exists', 'limit_reached'],
})

export const getTag = endpoint({
  ...COMMON,
  method: 'GET',
  path: '/api/v1/tags/:id',
  scope: 'tags:read',
  operationId: 'getTag',
  summary: 'Get a tag',
  description: 'With the number of tasks that have it.',
  params: TagParams,
  reply: Tag,
  conditions: 'compared',
})

export const updateTag = endpoint({
  ...COMMON,
  method: 'PATCH',
  path: '/api/v1/tags/:id',
  grantsLastingAccess: false,
  scope: 'tags:write',
  operationId: 'updateTag',
  summary: 'Update a tag',
  params: TagParams,
  body: Named(
    'TagUpdate',
    RequestBody(
      {
        name: Optional(TagName(' All its tasks show the new one.')),
        color: Optional(Color({ description: 'The color in the app.' })),
      },
      Tag,
    ),
    { description: 'The changes of a tag. Fields that you leave out stay as they are.' },
  ),
  reply: Tag,
  dryRun: true,
  conditions: 'compared',
  roles: 'Owners, admins and members.',
  errors: ['insufficient_role', 'project_archived', 'tag_exists'],
})

export const deleteTag = endpoint({
  ...COMMON,
  method: 'DELETE',
  path: '/api/v1/tags/:id',
  grantsLastingAccess: false,
  scope: 'tags:delete',
  operationId: 'deleteTag',
  summary: 'Delete a tag',
  description:
    'Removes the tag from all tasks, without events and without a new `version` of theirs. It cannot be restored.',
  params: TagParams,
  dryRun: true,
  conditions: 'compared',
  roles: 'Owners, admins and members.',
  errors: ['insufficient_role', 'project_archived'],
})

export const bulkTags = endpoint({
  ...COMMON,
  path: '/api/v1/tags/bulk',
  scope: 'tags:write',
  operationId: 'bulkTags',
  summary: 'Create, update and delete tags in bulk',
  ...bulkWritesEndpoint(
    'tag',
    { name: 'Tag', plural: 'Tags' },
    { create: createTag, update: updateTag, delete: deleteTag },
    { project_id: IdReference('prj', { description: 'The project of the tag.' }) },
    {
      create: 'Creates a tag.',
      update: 'Updates a tag.',
      delete: 'Deletes a tag and removes it from all tasks.',
    },
  ),
  roles: 'Owners, admins and members.',
})
