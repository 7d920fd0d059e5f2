import assert from 'node:assert/strict'
import { scenario, valueAt } from '#test/support/scenario/scenario.ts'
import { listChanges } from './contract.ts'

const CHANGES = listChanges.path

scenario('the parameters and rights of the feed of changes', [
  { send: `GET ${CHANGES}`, as: 'guest', status: 200, reply: { has_more: false } },
  { send: `GET ${CHANGES}`, as: 'member session', status: 200 },
  { send: `GET ${CHANGES}`, as: 'nobody', status: 401 },
  { send: `GET ${CHANGES}?after=now`, as: 'stranger', status: 200, reply: { data: [] } },
  {
    send: `GET ${CHANGES}?types=task,tag`,
    as: ['tags:read'],
    status: 403,
    reply: { error: { code: 'insufficient_scope', required_scope: 'tasks:read' } },
  },
  ...['', '?limit=0'].map((query) => ({
    send: `GET ${CHANGES}${query}`,
    as: ['tasks:write', 'webhooks:read'] as const,
    status: 403,
    reply: { error: { code: 'insufficient_scope' } },
  })),
  ...['limit=0', 'limit=501', 'wait=31', 'types=webhook', 'project_id=x', 'after=', 'cursor=x'].map(
    (query) => ({
      send: `GET ${CHANGES}?${query}`,
      status: 400,
      reply: { error: { code: 'invalid_parameter' } },
    }),
  ),
  {
    send: `GET ${CHANGES}?project_id={hidden}&types=project`,
    as: 'guest',
    status: 200,
    reply: { data: [], has_more: false },
  },
  {
    send: `GET ${CHANGES}?project_id={project}&types=member`,
    status: 200,
    reply: { data: [], has_more: false },
  },
  {
    send: `GET ${CHANGES}?types=member`,
    as: ['members:read'],
    status: 200,
    check: ({ body }) => assert.equal(valueAt(body, 'data.length'), '4'),
  },
])
