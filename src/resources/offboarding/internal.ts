import { endpoint } from '#wire/endpoint.ts'
import {
  Flag,
  Id,
  Integer,
  Nullable,
  Optional,
  type Static,
  StrictObject,
  WordOrId,
} from '#wire/schema-builders.ts'

const SESSION = { scope: 'session', limit: 'session', tag: 'Members' } as const

const MemberParams = StrictObject({ id: Id('usr') })
const Count = Integer(0, Number.MAX_SAFE_INTEGER)

/** The work of a member, which somebody else takes over before the member leaves. */
export type MemberWork = Static<typeof MemberWork>
export const MemberWork = StrictObject({
  open_tasks: Integer(0, Number.MAX_SAFE_INTEGER, {
    description: 'Assigned and open, of projects that are not archived.',
  }),
  recurring_tasks: Integer(0, Number.MAX_SAFE_INTEGER, { description: 'How many of them recur.' }),
  projects_led: Count,
})

export const getMemberWork = endpoint({
  ...SESSION,
  method: 'GET',
  path: '/internal/members/:id/work',
  summary: 'Count the open work of a member',
  description: 'For oneself, and for whoever may remove the member.',
  params: MemberParams,
  reply: MemberWork,
})

/** The result of one batch. */
export type HandoverResult = Static<typeof HandoverResult>
export const HandoverResult = StrictObject({
  tasks: Integer(0, Number.MAX_SAFE_INTEGER, { description: 'With another assignee.' }),
  unassigned: Integer(0, Number.MAX_SAFE_INTEGER, {
    description: 'With one fewer: nobody was wanted, or whoever was does not see the project.',
  }),
  projects: Integer(0, Number.MAX_SAFE_INTEGER, { description: 'With another lead, or none.' }),
  refused: Integer(0, Number.MAX_SAFE_INTEGER, { description: 'Left as they are.' }),
  after: Nullable(Id('tsk'), { description: 'Where the next step begins.' }),
  done: Flag({ description: 'Whether nothing is left to hand over.' }),
})

export const handOver = endpoint({
  ...SESSION,
  limit: 'access',
  method: 'POST',
  path: '/internal/members/:id/hand-over',
  grantsLastingAccess: false,
  summary: 'Hand over open work of a member before the membership ends',
  description:
    'At most 20 projects and 100 tasks a request: send it again with `after` until `done`. Open tasks get another ' +
    'assignee, and projects that the member leads another lead; with `leads` tasks go to the lead of their project.',
  params: MemberParams,
  body: StrictObject({
    to: WordOrId(['nobody', 'leads'], 'usr', {
      description: '`nobody`, `leads`, or the id of an active member.',
    }),
    after: Optional(Id('tsk')),
  }),
  reply: HandoverResult,
})
