import { Type } from 'typebox'
import { GROUPS, SORTS } from '#resources/outline/contract.ts'
import { OneProject } from '#resources/projects/contract.ts'
import { endpoint } from '#wire/endpoint.ts'
import {
  Body,
  Fields,
  Flag,
  Id,
  Line,
  List,
  OneOf,
  Optional,
  Reference,
  SetOf,
  type Static,
  Timestamp,
} from '#wire/schema.ts'

/** So many a person has for themselves in a project, so many are shared in it, and so many they pin. */
export const MOST_OWN = 50
export const MOST_SHARED = 100
export const MOST_PINS = 20

export const LANES = ['none', 'assignee', 'priority'] as const
export const SHAPES = ['list', 'board', 'timeline', 'calendar'] as const

/** A name for an address: all that the web app has there to say how a project is looked at. */
export type View = Static<typeof View>
export const View = Type.Object(
  {
    id: Id('viw'),
    project_id: Id('prj'),
    name: Line(1, 60),
    view: OneOf(SHAPES),
    f: Line(0, 2_000, { description: 'The filter as it is typed: `status:todo assignee:me`.' }),
    sort: OneOf([...SORTS, ...SORTS.map((sort) => `-${sort}` as const)]),
    group: OneOf(GROUPS),
    lanes: OneOf(LANES, { description: 'What lies across the columns of a board.' }),
    is_shared: Flag({ description: 'Whether all who see the project see it, or its maker alone.' }),
    created_by_id: Id('usr'),
    created_at: Timestamp(),
    updated_at: Timestamp(),
  },
  { title: 'View', additionalProperties: false },
)

const SESSION = { scope: 'session', limit: 'session', tag: 'Views' } as const
const { name, view, f, sort, group, lanes } = View.properties
const Views = Fields({ data: List(View) })
const OneView = Fields({ id: Id('viw') })

export const listViews = endpoint({
  ...SESSION,
  method: 'GET',
  path: '/internal/projects/:id/views',
  summary: 'List the saved views of a project',
  description:
    'Those of a project, one’s own and the shared ones, oldest first. What is pinned comes with the boot.',
  params: OneProject,
  reply: Views,
})

export const createView = endpoint({
  ...SESSION,
  method: 'POST',
  path: '/internal/views',
  summary: 'Save a view of a project',
  description: `A person has at most ${MOST_OWN} of their own in a project, and a project ${MOST_SHARED} shared ones.`,
  body: Body(
    {
      ...{ project_id: Reference('prj'), name },
      ...{ view: Optional(view), f: Optional(f), sort: Optional(sort), group: Optional(group) },
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
  summary: 'Change a saved view',
  description: 'For its maker; a shared one also for the lead of the project, owners and admins.',
  params: OneView,
  body: Body(
    {
      ...{ name: Optional(name), view: Optional(view), f: Optional(f) },
      ...{ sort: Optional(sort), group: Optional(group), lanes: Optional(lanes) },
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
  summary: 'Delete a saved view',
  description: 'For those who may change it. It is pinned by nobody any more.',
  params: OneView,
})

export const pinViews = endpoint({
  ...SESSION,
  method: 'PUT',
  path: '/internal/views/pins',
  summary: 'Pin views, in an order',
  description: 'Replaces what the person has pinned; the others see nothing of it.',
  body: Fields({ view_ids: SetOf(Reference('viw'), MOST_PINS) }),
  reply: Views,
})
