import { COMMAND_LINE } from '#storage/oauth.ts'
import { allowed } from '#test/support/grant.ts'
import { type Step, scenario } from '#test/support/scenario.ts'
import { lists, refused } from '#test/support/steps.ts'

const GRANTS = '/internal/grants'
const PAST = '2020-01-01T00:00:00.000Z'
const member = { as: 'member session' } as const

/** What persons allow the command line: the member twice, and what is not to be seen of it. */
const prepare: NonNullable<Step['prepare']> = async (tx, known) => {
  const of = (role: string, more: object = {}) =>
    allowed(tx, {
      in_workspace: known.workspace ?? '',
      user_id: known[role] ?? '',
      application_id: COMMAND_LINE,
      ...more,
    })
  known.first = await of('member', { scopes: ['tags:read', 'tasks:read'] })
  known.second = await of('member')
  known.begun = await of('member', { hasToken: false })
  known.over = await of('member', { expires_at: PAST })
  known.owners = await of('owner')
}

scenario('persons see what they allow applications, and end it', [
  lists(GRANTS, ['first', 'second'], {
    ...{ ...member, prepare },
    reply: {
      data: [
        {
          application: { id: COMMAND_LINE, name: 'Docket command line' },
          scopes: ['tags:read', 'tasks:read'],
          last_used_at: null,
        },
        {},
      ],
    },
  }),
  lists(GRANTS, ['owners'], { as: 'session' }),
  { send: `GET ${GRANTS}?limit=1`, ...member, status: 200, keep: { cursor: 'next_cursor' } },
  lists(`${GRANTS}?cursor={cursor}`, ['second'], member),
  refused(`DELETE ${GRANTS}/{first}`, 404, 'not_found', { as: 'session' }),
  refused(`DELETE ${GRANTS}/{over}`, 404, 'not_found', member),
  { send: `DELETE ${GRANTS}/{first}`, ...member, status: 204 },
  refused(`DELETE ${GRANTS}/{first}`, 404, 'not_found', member),
  lists(GRANTS, ['second'], member),
])
