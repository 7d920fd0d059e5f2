import { COMMAND_LINE_APPLICATION_ID } from '#db/access/oauth-grants.ts'
import { insertTestGrant } from '#test/support/oauth/test-grant.ts'
import { type ScenarioStep, scenario } from '#test/support/scenario/scenario.ts'
import { listStep, rejectedStep } from '#test/support/scenario/steps.ts'

const GRANTS = '/internal/grants'
const PAST = '2020-01-01T00:00:00.000Z'
const member = { as: 'member session' } as const

/** Grants of the command line: two of the member, and others that the member must not see. */
const prepare: NonNullable<ScenarioStep['prepare']> = async (tx, known) => {
  const of = (role: string, more: object = {}) =>
    insertTestGrant(tx, {
      in_workspace: known.workspace ?? '',
      user_id: known[role] ?? '',
      application_id: COMMAND_LINE_APPLICATION_ID,
      ...more,
    })
  known.first = await of('member', { scopes: ['tags:read', 'tasks:read'] })
  known.second = await of('member')
  known.begun = await of('member', { hasToken: false })
  known.over = await of('member', { expires_at: PAST })
  known.owners = await of('owner')
}

scenario('users list and revoke the grants of applications', [
  listStep(GRANTS, ['first', 'second'], {
    ...member,
    prepare,
    reply: {
      data: [
        {
          application: { id: COMMAND_LINE_APPLICATION_ID, name: 'Docket command line' },
          scopes: ['tags:read', 'tasks:read'],
          last_used_at: null,
        },
        {},
      ],
    },
  }),
  listStep(GRANTS, ['owners'], { as: 'session' }),
  { send: `GET ${GRANTS}?limit=1`, ...member, status: 200, keep: { cursor: 'next_cursor' } },
  listStep(`${GRANTS}?cursor={cursor}`, ['second'], member),
  rejectedStep(`DELETE ${GRANTS}/{first}`, 404, 'not_found', { as: 'session' }),
  rejectedStep(`DELETE ${GRANTS}/{over}`, 404, 'not_found', member),
  { send: `DELETE ${GRANTS}/{first}`, ...member, status: 204 },
  rejectedStep(`DELETE ${GRANTS}/{first}`, 404, 'not_found', member),
  listStep(GRANTS, ['second'], member),
])
