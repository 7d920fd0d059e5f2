import { Type } from 'typebox'
import { ProjectParams } from '#resources/projects/contract.ts'
import { endpoint } from '#wire/endpoint.ts'
import {
  Flag,
  Id,
  IdReference,
  List,
  Nullable,
  Optional,
  Pattern,
  RequestBody,
  SingleLineText,
  type Static,
  StrictObject,
  StringEnum,
  Timestamp,
  UniqueList,
} from '#wire/schema-builders.ts'

/**
 * The most private views of a user and the most shared ones, each in one project or in all projects
 * together; and the most pins of a user.
 */
export const MAX_OWN_VIEWS = 50
export const MAX_SHARED_VIEWS = 100
export const MAX_PINNED_VIEWS = 20

const BOARD_LANES = ['none', 'assignee', 'priority'] as const
const VIEW_LAYOUTS = ['list', 'board', 'timeline', 'calendar'] as const

/**
 * A saved view: a name for the layout, filter, sorting and grouping in an address of the web app.
 */
export type View = Static<typeof View>
export const View = Type.Object(
  {
    id: Id('viw'),
    project_id: Nullable(Id('prj'), { description: 'Null if it shows the tasks of all projects.' }),
    name: SingleLineText(1, 60),
    view: StringEnum(VIEW_LAYOUTS),
    f: SingleLineText(0, 2_000, {
      description: 'The filter as it is typed: `status:todo assignee:me`.',
    }),
    sort: Pattern(
      '^-?[a-z][a-z0-9_.]{0,49}$',
      'a property, or `-` and a property, such as -priority',
    ),
    group: Pattern('^[a-z][a-z0-9_.]{0,49}$', 'a property, such as assignee, or none'),
    lanes: StringEnum(BOARD_LANES, { description: 'What lies across the columns of a board.' }),
    is_shared: Flag({
      description:
        'Whether its maker alone sees it, or everybody who sees the project; of all projects, everybody but guests.',
    }),
    created_by_id: Id('usr'),
    created_at: Timestamp(),
    updated_at: Timestamp(),
  },
  { title: 'View', additionalProperties: false },
)

const SESSION = { scope: 'session', limit: 'session', tag: 'Views' } as const
const { name, view, f, sort, group, lanes } = View.properties
const ViewList = StrictObject({ data: List(View) })
const ViewParams = StrictObject({ id: Id('viw') })

export const listViews = endpoint({
  ...SESSION,
  method: 'GET',
  path: '/internal/projects/:id/views',
  summary: 'List the saved views of a project',
  description:
    'Those of a project, one’s own and the shared ones, oldest first. What is pinned comes with the boot.',
  params: ProjectParams,
  reply: ViewList,
})

export const listAllProjectsViews = endpoint({
  ...SESSION,
  method: 'GET',
  path: '/internal/views',
  summary: 'List the saved views of all projects',
  description:
    'Views without a project, oldest first: one’s own and, except for guests, the shared ones.',
  reply: ViewList,
})

export const createView = endpoint({
  ...SESSION,
  method: 'POST',
  path: '/internal/views',
  grantsLastingAccess: false,
  takesIdempotencyKey: true,
  summary: 'Save a view of a project, or of all',
  description: `A person has at most ${MAX_OWN_VIEWS} of their own in a project, and a project ${MAX_SHARED_VIEWS} shared ones. The same limits apply to views of all projects.`,
  body: RequestBody(
    {
      project_id: Nullable(IdReference('prj')),
      name,
      view: Optional(view),
      f: Optional(f),
      sort: Optional(sort),
      group: Optional(group),
      lanes: Optional(lanes),
      is_shared: Optional(Flag()),
    },
    View,
  ),
  reply: View,
  status: 201,
})

export const updateView = endpoint({
  ...SESSION,
  method: 'PATCH',
  path: '/internal/views/:id',
  grantsLastingAccess: false,
  takesIdempotencyKey: true,
  summary: 'Change a saved view',
  description: 'For its maker; a shared one also for the lead of its project, owners and admins.',
  params: ViewParams,
  body: RequestBody(
    {
      name: Optional(name),
      view: Optional(view),
      f: Optional(f),
      sort: Optional(sort),
      group: Optional(group),
      lanes: Optional(lanes),
      is_shared: Optional(Flag()),
    },
    View,
  ),
  reply: View,
  conditions: 'compared',
})

export const deleteView = endpoint({
  ...SESSION,
  method: 'DELETE',
  path: '/internal/views/:id',
  grantsLastingAccess: false,
  takesIdempotencyKey: true,
  summary: 'Delete a saved view',
  description: 'For those who may change it. It is pinned by nobody any more.',
  params: ViewParams,
})

export const pinViews = endpoint({
  ...SESSION,
  method: 'PUT',
  path: '/internal/views/pins',
  grantsLastingAccess: false,
  takesIdempotencyKey: true,
  summary: 'Pin views, in an order',
  description: 'Replaces what the person has pinned; the others see nothing of it.',
  body: StrictObject({ view_ids: UniqueList(IdReference('viw'), MAX_PINNED_VIEWS) }),
  reply: ViewList,
})
