import { scenario } from '#test/support/scenario/scenario.ts'

const HOOKS = '/api/v1/webhooks'
const simple = { url: 'https://example.com/hook', events: ['task.created'] }

const refused = (field: string, code: string) => ({
  status: 422,
  reply: { error: { code: 'validation_failed', details: [{ field, code }] } },
})

const BODIES: [body: object, field: string, code: string][] = [
  [{ url: simple.url }, 'events', 'required'],
  [{ events: ['*'] }, 'url', 'required'],
  [{ ...simple, events: [] }, 'events', 'too_few'],
  [{ ...simple, events: 'task.created' }, 'events', 'invalid_type'],
  [{ ...simple, events: ['task.exploded'] }, 'events[0]', 'invalid_value'],
  [{ ...simple, events: ['task.created', 'task.created'] }, 'events[1]', 'duplicate'],
  [{ ...simple, events: ['task.created', '*'] }, 'events', 'invalid_value'],
  [{ ...simple, events: Array(22).fill('task.created') }, 'events', 'too_many'],
  [{ ...simple, url: null }, 'url', 'not_nullable'],
  [{ ...simple, url: 7 }, 'url', 'invalid_type'],
  [{ ...simple, url: `https://example.com/${'a'.repeat(2_029)}` }, 'url', 'too_long'],
  [{ ...simple, description: 'a'.repeat(201) }, 'description', 'too_long'],
  [{ ...simple, description: 'a\nb' }, 'description', 'invalid_characters'],
  [{ ...simple, project_ids: [] }, 'project_ids', 'too_few'],
  [{ ...simple, project_ids: ['{project}', 'prj_1'] }, 'project_ids[1]', 'invalid_reference'],
  [{ ...simple, project_ids: ['{project}', '{project}'] }, 'project_ids[1]', 'duplicate'],
  [{ ...simple, is_active: 'yes' }, 'is_active', 'invalid_type'],
  [{ ...simple, is_active: null }, 'is_active', 'not_nullable'],
  [{ ...simple, secret: 'seven77' }, 'secret', 'too_short'],
  [{ ...simple, secret: 'a'.repeat(257) }, 'secret', 'too_long'],
  [{ ...simple, secret: 'tab\tand more' }, 'secret', 'invalid_characters'],
  [{ ...simple, secret: null }, 'secret', 'not_nullable'],
  [{ ...simple, status: 'active' }, 'status', 'read_only_field'],
  [{ ...simple, secret_hint: 'abcd' }, 'secret_hint', 'read_only_field'],
  [{ ...simple, overlap_seconds: 1 }, 'overlap_seconds', 'unknown_field'],
]

scenario('rejects invalid webhooks on create and update', [
  ...BODIES.map(([body, field, code]) => ({
    send: `POST ${HOOKS}`,
    body,
    ...refused(field, code),
  })),
  { send: `POST ${HOOKS}`, body: simple, status: 201, keep: { hook: 'id' } },
  ...BODIES.filter(([, , code]) => code !== 'required').map(([body, field, code]) => ({
    send: `PATCH ${HOOKS}/{hook}`,
    body,
    ...refused(field, code),
  })),
  { send: `GET ${HOOKS}/{hook}`, status: 200, reply: { ...simple, description: null } },
])

scenario('project_ids must belong to the workspace', [
  { send: 'GET /api/v1/projects', as: 'stranger', status: 200, keep: { theirs: 'data.0.id' } },
  {
    send: `POST ${HOOKS}`,
    body: { ...simple, project_ids: ['{project}', '{theirs}', 'prj_01k2m3n4p5q6r7s8t9v0w1x2y3'] },
    status: 422,
    reply: {
      error: {
        details: [
          { field: 'project_ids[1]', code: 'invalid_reference' },
          { field: 'project_ids[2]', code: 'invalid_reference' },
        ],
      },
    },
  },
  { send: `POST ${HOOKS}`, body: simple, status: 201, keep: { hook: 'id' } },
  {
    send: `PATCH ${HOOKS}/{hook}`,
    body: { project_ids: ['{theirs}'] },
    ...refused('project_ids[0]', 'invalid_reference'),
  },
])

const MALFORMED = [
  'example.com/hook',
  '/hook',
  'https:example.com',
  'https:///example.com',
  'https://',
  '',
  'ftp://example.com',
  'javascript:alert(1)',
  'https://example.com/#part',
  'https://a.example#',
  'https://ada@example.com',
  'https://ada:pw@example.com',
  'https://@example.com',
  ' https://example.com',
  'https://example.com/a b',
  'https://exa\tmple.com',
  'https://[::1',
  'https:\\\\example.com',
  'https://a.example\\@b.example/',
  'https://a.example:99999',
  '//a.b',
]

scenario('rejects URLs that are not plain and absolute', [
  ...MALFORMED.map((url) => ({
    send: `POST ${HOOKS}`,
    body: { ...simple, url },
    ...refused('url', 'invalid_format'),
  })),
])

const INNER = [
  '127.0.0.1',
  '127.1',
  '2130706433',
  '0x7f000001',
  '0177.0.0.1',
  '127.0.0.1.',
  '１２７.0.0.1',
  '10.0.0.1',
  '192.168.1.1',
  '169.254.169.254',
  '0.0.0.0',
  '0',
  '100.64.0.1',
  '[::ffff:8.8.8.8]',
  '[::1]',
  '[::]',
  '[fd00::1]',
  '[fe80::1]',
  '[::ffff:127.0.0.1]',
  '[64:ff9b::7f00:1]',
  '[2002:7f00:1::]',
  'localhost',
  'LOCALHOST.',
  'a.b.localhost',
  'localhost:8443',
  'example.com:0',
]
const OUTER = ['https://8.8.8.8/', 'https://[2606:4700::1111]:8443/', 'https://EXAMPLE.com?a']
const PUBLIC = { DOCKET_BASE_URL: 'https://docket.example.com' }

scenario(
  'rejects internal addresses in every notation',
  [
    ...INNER.map((host) => ({
      send: `POST ${HOOKS}`,
      body: { ...simple, url: `https://${host}/hook` },
      ...refused('url', 'url_not_allowed'),
    })),
    {
      send: `POST ${HOOKS}`,
      body: { ...simple, url: 'http://example.com' },
      ...refused('url', 'invalid_format'),
    },
    ...[...OUTER, 'https://localhost.example.com', 'https://bücher.example/日本'].map((url) => ({
      send: `POST ${HOOKS}`,
      body: { ...simple, url },
      status: 201,
      reply: { url },
      keep: { hook: 'id' },
    })),
    {
      send: `PATCH ${HOOKS}/{hook}`,
      body: { url: 'https://10.0.0.1' },
      ...refused('url', 'url_not_allowed'),
    },
  ],
  PUBLIC,
)

scenario(
  'allows internal networks by configuration, also by http',
  [
    ...['http://10.1.2.3/', 'http://example.com/', 'https://[fd00::1]/'].map((url) => ({
      send: `POST ${HOOKS}`,
      body: { ...simple, url },
      status: 201,
      reply: { url },
    })),
    ...['http://10.2.0.1/', 'http://localhost/', 'https://[fe80::1]/'].map((url) => ({
      send: `POST ${HOOKS}`,
      body: { ...simple, url },
      ...refused('url', 'url_not_allowed'),
    })),
    {
      send: `POST ${HOOKS}`,
      body: { ...simple, url: 'http://8.8.8.8/' },
      ...refused('url', 'invalid_format'),
    },
  ],
  {
    ...PUBLIC,
    DOCKET_WEBHOOK_ALLOWED_CIDRS: '10.1.0.0/16, fd00::/8',
  },
)

scenario('a server on loopback may send to loopback', [
  ...['http://127.0.0.1:4001/', 'http://localhost/x', 'http://[::1]:1/', 'http://example.com'].map(
    (url) => ({ send: `POST ${HOOKS}`, body: { ...simple, url }, status: 201, reply: { url } }),
  ),
  {
    send: `POST ${HOOKS}`,
    body: { ...simple, url: 'http://10.0.0.1/' },
    ...refused('url', 'url_not_allowed'),
  },
])
