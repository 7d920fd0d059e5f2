import { removeMember } from '#resources/members/membership.ts'
import { scenario } from '#test/support/scenario/scenario.ts'

const role = { error: { code: 'insufficient_role' } }
const people = '/internal/projects/{hidden}/people'

scenario('everybody who sees a project lists its people; its lead changes the list', [
  { send: `GET ${people}`, as: 'member session', status: 404 },
  { send: `PUT ${people}/{member}`, as: 'member session', status: 404 },
  { send: `PUT ${people}/{member}`, as: 'admin session', status: 204 },
  { send: `PUT ${people}/{member}`, as: 'admin session', status: 204 },
  { send: `PUT ${people}/{guest}`, as: 'session', status: 204 },
  { send: `PUT ${people}/{admin}`, as: 'member session', status: 403, reply: role },
  { send: `DELETE ${people}/{guest}`, as: 'guest session', status: 403, reply: role },
  {
    send: `GET ${people}?sort=name&limit=2`,
    as: 'member session',
    status: 200,
    reply: { data: [{ id: '{guest}' }, { id: '{member}' }], has_more: true },
    keep: { cursor: 'next_cursor' },
  },
  {
    send: `GET ${people}?sort=name&limit=2&cursor={cursor}`,
    as: 'member session',
    status: 200,
    reply: { data: [{ id: '{owner}', role: 'owner' }], has_more: false },
  },
  {
    send: `GET ${people}`,
    as: 'guest session',
    status: 200,
    reply: { data: [{ id: '{owner}', email: null }, { email: null }, { id: '{guest}' }] },
  },
  { send: `DELETE ${people}/{guest}`, as: 'admin session', status: 204 },
  { send: `DELETE ${people}/{guest}`, as: 'admin session', status: 204 },
  { send: `GET ${people}`, as: 'guest session', status: 404 },
  { send: `PUT ${people}/usr_01k2m3n4p5q6r7s8t9v0w1x2y3`, as: 'session', status: 404 },
  { send: `DELETE ${people}/usr_01k2m3n4p5q6r7s8t9v0w1x2y3`, as: 'session', status: 404 },
  { send: `PUT ${people}/%00`, as: 'session', status: 404 },
  { send: 'GET /api/v1/me', as: 'stranger', status: 200, keep: { stranger: 'user.id' } },
  { send: `PUT ${people}/{stranger}`, as: 'session', status: 404 },
  {
    prepare: (tx, { member = '' }) => removeMember(tx, member),
    send: `GET ${people}`,
    as: 'session',
    status: 200,
    reply: { data: [{ id: '{owner}' }] },
  },
  { send: `PUT ${people}/{member}`, as: 'session', status: 404 },
  { send: `DELETE ${people}/{member}`, as: 'session', status: 204 },
])

scenario('a guest who is taken out of the people list of a project does not lead it any more', [
  { send: `PUT ${people}/{guest}`, as: 'session', status: 204 },
  { send: `PUT ${people}/{member}`, as: 'session', status: 204 },
  {
    send: 'PATCH /internal/projects/{hidden}',
    as: 'session',
    body: { lead_id: '{guest}' },
    status: 200,
    events: ['project.updated'],
  },
  { send: `DELETE ${people}/{member}`, as: 'guest session', status: 204 },
  {
    send: `DELETE ${people}/{guest}`,
    as: 'guest session',
    status: 204,
    events: [
      {
        type: 'project.updated',
        data: { lead_id: null },
        changes: { lead_id: { from: '{guest}', to: null } },
      },
    ],
  },
  // A member sees a project that they lead without being in its list.
  {
    send: 'PATCH /internal/projects/{hidden}',
    as: 'session',
    body: { lead_id: '{member}' },
    status: 200,
    events: ['project.updated'],
  },
  { send: `PUT ${people}/{member}`, as: 'session', status: 204 },
  { send: `DELETE ${people}/{member}`, as: 'session', status: 204 },
])
