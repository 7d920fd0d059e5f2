import assert from 'node:assert/strict'
import { scenario } from '#test/support/scenario/scenario.ts'
import { rejectedStep, validationFailedStep } from '#test/support/scenario/steps.ts'

const APPS = '/internal/apps'
const POST = `POST ${APPS}`
const session = { as: 'session' } as const

const web = {
  name: ' Reports ',
  type: 'confidential',
  redirect_uris: ['https://b.example/cb?x=1', 'https://a.example/cb'],
  scopes: ['tasks:write', 'tasks:read'],
}
const native = { ...web, type: 'public', redirect_uris: ['com.example.app:/cb'] }

scenario('owners and admins register applications, whose secrets are shown once', [
  {
    send: POST,
    as: 'admin session',
    body: { ...web, homepage_url: 'https://a.example/', description: 'Weekly.' },
    status: 201,
    reply: {
      name: 'Reports',
      type: 'confidential',
      distribution: 'private',
      description: 'Weekly.',
      homepage_url: 'https://a.example/',
      created_by_id: '{admin}',
      redirect_uris: web.redirect_uris,
      scopes: ['tasks:read', 'tasks:write'],
    },
    replyHeaders: { location: null, 'cache-control': 'no-store' },
    keep: { web: 'id', secret: 'client_secret', hint: 'secret_hint', made: 'updated_at' },
    check: (_, { secret = '', hint }) => {
      assert.match(secret, /^dcs_[0-9A-Za-z]{38}$/)
      assert.equal(hint, secret.slice(-4))
    },
  },
  {
    send: POST,
    ...session,
    body: { ...native, distribution: 'public', description: null },
    status: 201,
    reply: { type: 'public', distribution: 'public', secret_hint: null, homepage_url: null },
    keep: { native: 'id' },
    check: ({ body }) => assert.ok(!('client_secret' in Object(body))),
  },
  {
    send: `GET ${APPS}?limit=1`,
    ...session,
    status: 200,
    reply: { has_more: true, data: [{ id: '{web}', secret_hint: '{hint}' }] },
    keep: { cursor: 'next_cursor' },
    check: ({ bytes }, { secret = '' }) => assert.ok(!bytes.includes(secret)),
  },
  {
    send: `GET ${APPS}?cursor={cursor}`,
    ...session,
    status: 200,
    reply: { has_more: false, data: [{ id: '{native}' }] },
  },
  ...(
    [
      [{ ...web, type: 'secret' }, { type: 'invalid_value' }],
      [{ ...web, redirect_uris: [] }, { redirect_uris: 'too_few' }],
      [{ ...web, name: 'Docket \u202eppa' }, { name: 'invalid_characters' }],
      [{ ...web, scopes: [] }, { scopes: 'too_few' }],
      [{ ...web, scopes: ['all'] }, { 'scopes[0]': 'invalid_value' }],
      [{ ...web, client_secret: 'x' }, { client_secret: 'read_only_field' }],
      [{ ...web, secret_hint: 'x' }, { secret_hint: 'read_only_field' }],
      [{ ...web, homepage_url: 'javascript:alert(1)' }, { homepage_url: 'invalid_format' }],
      [
        {
          ...web,
          redirect_uris: ['https://a.example/', 'com.example.app:/cb', 'http://a.example'],
        },
        { 'redirect_uris[1]': 'invalid_format', 'redirect_uris[2]': 'invalid_format' },
      ],
      [{}, { name: 'required', type: 'required', redirect_uris: 'required', scopes: 'required' }],
    ] as const
  ).map(([body, faults]) => ({ ...validationFailedStep(POST, body, faults), ...session })),
  // In a merge patch, equal values change nothing.
  {
    send: `PATCH ${APPS}/{web}`,
    ...session,
    body: { scopes: ['tasks:read', 'tasks:write'], name: 'Reports' },
    status: 200,
    reply: { updated_at: '{made}' },
    replyHeaders: { 'x-operation-id': null },
  },
  {
    send: `PATCH ${APPS}/{web}`,
    ...session,
    body: { description: null, scopes: ['tasks:write'], redirect_uris: ['https://c.example/cb'] },
    status: 200,
    reply: {
      name: 'Reports',
      description: null,
      homepage_url: 'https://a.example/',
      scopes: ['tasks:write'],
      redirect_uris: ['https://c.example/cb'],
    },
    check: ({ body }, { made = '' }) => assert.ok(Object(body).updated_at > made),
  },
  {
    ...validationFailedStep(
      `PATCH ${APPS}/{web}`,
      { type: 'confidential', name: 'Docket \u2067ppa' },
      { type: 'read_only_field', name: 'invalid_characters' },
    ),
    ...session,
  },
  // The rules of its type apply.
  {
    ...validationFailedStep(
      `PATCH ${APPS}/{web}`,
      { redirect_uris: ['com.example.app:/cb'] },
      { 'redirect_uris[0]': 'invalid_format' },
    ),
    ...session,
  },
  {
    send: `PATCH ${APPS}/{native}`,
    ...session,
    body: { redirect_uris: ['com.example.other:/cb'] },
    status: 200,
  },
  {
    send: `POST ${APPS}/{web}/rotate-secret`,
    ...session,
    status: 200,
    reply: { id: '{web}', name: 'Reports' },
    replyHeaders: { 'cache-control': 'no-store' },
    check: ({ body }, { secret }) => {
      const { client_secret, secret_hint } = Object(body)
      assert.match(client_secret, /^dcs_[0-9A-Za-z]{38}$/)
      assert.notEqual(client_secret, secret)
      assert.equal(secret_hint, client_secret.slice(-4))
    },
  },
  {
    ...validationFailedStep(`POST ${APPS}/{native}/rotate-secret`, {}, { type: 'invalid_value' }),
    ...session,
  },
  // Applications of the installation belong to no workspace.
  rejectedStep(`GET ${APPS}/app_00000000000000000000000001`, 404, 'not_found', session),
  rejectedStep(`DELETE ${APPS}/app_00000000000000000000000001`, 404, 'not_found', session),
  ...['{web}', 'app_01k2m3n4p5q6r7s8t9v0w1x2y3'].map((id) =>
    rejectedStep(`GET ${APPS}/${id}`, 403, 'insufficient_role', { as: 'member session' }),
  ),
  { send: `DELETE ${APPS}/{web}`, as: 'admin session', status: 204 },
  rejectedStep(`GET ${APPS}/{web}`, 404, 'not_found', session),
])

scenario('a workspace has at most 50 applications', [
  ...Array.from({ length: 50 }, (_, at) => ({
    send: POST,
    ...session,
    body: { ...native, name: `App ${at}` },
    status: 201,
  })),
  rejectedStep(POST, 409, 'limit_reached', { ...session, body: web }),
])
