import { CREATION_FIELDS, defineArchivePart, NonNegativeInteger, UserId } from '#resources/noun.ts'
import { Id, List, Nullable, Pattern, StrictObject } from '#wire/schema-builders.ts'
import { View } from './internal.ts'

/** `project_id` is null for a view of all projects. `only_for` is empty for a shared view. `pinned_by` has the position that each person gave it. */
export const archivedViews = defineArchivePart({
  line: StrictObject({
    id: Id('viw'),
    project_id: Nullable(Id('prj')),
    name: View.properties.name,
    view: View.properties.view,
    filter: View.properties.f,
    sort: View.properties.sort,
    grouping: View.properties.group,
    lanes: View.properties.lanes,
    only_for: Pattern('^(usr_[0-9a-hjkmnp-tv-z]{26})?$', 'a user id or empty'),
    pinned_by: List(StrictObject({ user_id: UserId, position: NonNegativeInteger })),
    ...CREATION_FIELDS,
  }),
  table: 'views',
  related: {
    pinned_by: {
      table: 'view_pins',
      of: 'view_id',
      columns: ['user_id', 'position'],
      order: 'user_id',
    },
  },
  people: ['created_by_id', 'only_for', 'pinned_by'],
  projects: ['project_id'],
})
