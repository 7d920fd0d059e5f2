import { endpoint } from '#wire/endpoint.ts'
import { Fields, Flag, Id, Nullable, Optional, Pattern, type Static, Whole } from '#wire/schema.ts'

const SESSION = { scope: 'session', limit: 'session', tag: 'Members' } as const

const OneMember = Fields({ id: Id('usr') })
const Count = Whole(0, Number.MAX_SAFE_INTEGER)

/** What waits for a member, and for somebody else when the member goes. */
export type Work = Static<typeof Work>
export const Work = Fields({
  open_tasks: Whole(0, Number.MAX_SAFE_INTEGER, {
    description: 'Assigned and open, of projects that are not archived.',
  }),
  recurring_tasks: Whole(0, Number.MAX_SAFE_INTEGER, { description: 'How many of them recur.' }),
  projects_led: Count,
})

export const getWork = endpoint({
  ...SESSION,
  method: 'GET',
  path: '/internal/members/:id/work',
  summary: 'Count what waits for a member',
  description: 'For oneself, and for whoever may remove the member.',
  params: OneMember,
  reply: Work,
})

/** What one step has handed over. */
export type HandedOver = Static<typeof HandedOver>
export const HandedOver = Fields({
  tasks: Whole(0, Number.MAX_SAFE_INTEGER, { description: 'With another assignee.' }),
  unassigned: Whole(0, Number.MAX_SAFE_INTEGER, {
    description: 'With one fewer: nobody was wanted, or whoever was does not see the project.',
  }),
  projects: Whole(0, Number.MAX_SAFE_INTEGER, { description: 'With another lead, or none.' }),
  refused: Whole(0, Number.MAX_SAFE_INTEGER, { description: 'Left as they are.' }),
  after: Nullable(Id('tsk'), { description: 'Where the next step begins.' }),
  done: Flag({ description: 'Whether nothing is left to hand over.' }),
})

export const handOver = endpoint({
  ...SESSION,
  method: 'POST',
  path: '/internal/members/:id/hand-over',
  summary: 'Hand over some of what waits for a member, before the membership ends',
  description:
    'At most 20 projects and 100 tasks a request: send it again with `after` until `done`. Open tasks get another ' +
    'assignee, and projects that the member leads another lead; with `leads` tasks go to the lead of their project.',
  params: OneMember,
  body: Fields({
    to: Pattern('^(nobody|leads|usr_[0-9a-hjkmnp-tv-z]{26})$', {
      description: '`nobody`, `leads`, or the id of an active member.',
    }),
    after: Optional(Id('tsk')),
  }),
  reply: HandedOver,
})
