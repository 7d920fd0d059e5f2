import { scenario } from '#test/support/scenario/scenario.ts'
import { rejectedStep } from '#test/support/scenario/steps.ts'

const MEMBERS = '/api/v1/workspace/members'

scenario('lists members in the order in which they joined', [
  {
    send: `GET ${MEMBERS}`,
    status: 200,
    reply: {
      data: [
        { id: '{owner}', role: 'owner', status: 'active', locale: 'en', avatar_url: null },
        { id: '{admin}', name: 'The admin', timezone: 'Europe/Zurich' },
        { id: '{member}', role: 'member' },
        { id: '{guest}', role: 'guest' },
      ],
      has_more: false,
      next_cursor: null,
    },
    replyHeaders: { etag: null, 'cache-control': 'no-store' },
  },
  { send: `GET ${MEMBERS}?limit=3`, status: 200, keep: { next: 'next_cursor' } },
  {
    send: `GET ${MEMBERS}?limit=3&cursor={next}`,
    status: 200,
    reply: { data: [{ id: '{guest}' }] },
  },
  { send: `GET ${MEMBERS}?limit=3&sort=name&cursor={next}`, status: 400 },
  {
    send: `GET ${MEMBERS}?sort=-joined_at&limit=1`,
    status: 200,
    reply: { data: [{ id: '{guest}' }] },
  },
])

scenario('sorts members by name', [
  {
    send: `GET ${MEMBERS}?sort=name&limit=2`,
    status: 200,
    reply: { data: [{ name: 'The admin' }, { name: 'The guest' }], has_more: true },
    keep: { next: 'next_cursor' },
  },
  {
    send: `GET ${MEMBERS}?sort=name&limit=2&cursor={next}`,
    status: 200,
    reply: { data: [{ name: 'The member' }, { name: 'The owner' }], has_more: false },
  },
  {
    send: `GET ${MEMBERS}?sort=-name&limit=1`,
    status: 200,
    reply: { data: [{ name: 'The owner' }] },
  },
])

scenario('filters members by role, by words of the name and by email', [
  {
    send: `GET ${MEMBERS}?role=guest,owner`,
    status: 200,
    reply: { data: [{ id: '{owner}' }, { id: '{guest}' }], has_more: false },
    keep: { email: 'data.1.email' },
  },
  { send: `GET ${MEMBERS}?q=ADM%20the`, status: 200, reply: { data: [{ id: '{admin}' }] } },
  { send: `GET ${MEMBERS}?q=dmin`, status: 200, reply: { data: [] } },
  { send: `GET ${MEMBERS}?q=%20{email}`, status: 200, reply: { data: [{ id: '{guest}' }] } },
  { send: `GET ${MEMBERS}?q=a{email}`, status: 200, reply: { data: [] } },
  { send: `GET ${MEMBERS}?q=-`, status: 200, reply: { data: [] } },
  { send: `GET ${MEMBERS}?status=removed`, status: 200, reply: { data: [] } },
  rejectedStep(`GET ${MEMBERS}?role=boss`, 400, 'invalid_parameter'),
  { send: `GET ${MEMBERS}?role=owner,owner`, status: 400 },
  { send: `GET ${MEMBERS}?status=`, status: 400 },
  { send: `GET ${MEMBERS}?status=gone`, status: 400 },
  { send: `GET ${MEMBERS}?sort=email`, status: 400 },
])

scenario('guests see no email but their own, and cannot search by email', [
  {
    send: `GET ${MEMBERS}?sort=name`,
    as: 'guest',
    status: 200,
    reply: { data: [{ email: null }, { id: '{guest}' }, { email: null }, { email: null }] },
    keep: { own: 'data.1.email' },
  },
  { send: `GET ${MEMBERS}?role=admin`, as: 'member', status: 200, keep: { email: 'data.0.email' } },
  {
    send: `GET ${MEMBERS}?q={email}`,
    as: 'member',
    status: 200,
    reply: { data: [{ id: '{admin}' }] },
  },
  { send: `GET ${MEMBERS}?q={email}`, as: 'guest', status: 200, reply: { data: [] } },
  {
    send: `GET ${MEMBERS}?q={own}`,
    as: 'guest',
    status: 200,
    reply: { data: [{ id: '{guest}' }] },
  },
])

scenario('members:read lists the members of the workspace only', [
  { send: `GET ${MEMBERS}?q={owner}`, as: 'stranger', status: 200, reply: { data: [] } },
  { send: `GET ${MEMBERS}`, as: ['members:read'], status: 200 },
  rejectedStep(`GET ${MEMBERS}`, 403, 'insufficient_scope', { as: ['tasks:read'] }),
  { send: `GET ${MEMBERS}`, as: 'nobody', status: 401 },
])
