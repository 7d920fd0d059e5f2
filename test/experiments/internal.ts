import type { Role } from '#core/actor.ts'
import { newId } from '#lib/id.ts'
import {
  anotherOwner,
  application,
  both,
  elsewhere,
  grantOf,
  hidden,
  hiddenTask,
  importIn,
  invitation,
  keyOf,
  member,
  open,
  openTask,
  person,
  session,
  templateOf,
  viewOf,
  type World,
} from './internal-records.ts'

/** A way to use an endpoint, and how it ends for owner, admin, member and guest. */
export interface Line {
  ends: readonly [owner: string, admin: string, member: string, guest: string]
  /** The ids that stand in the path, in its order. */
  ids?: (world: World, role: Role) => Promise<string[]> | string[]
  query?: string
  body?: object | ((world: World) => object)
  /** The session that asks is used up by it. */
  ends_session?: true
}

const all = (status: string): Line['ends'] => [status, status, status, status]
const FORBIDDEN = '403 insufficient_role'
const MISSING = '404 not_found'
const UNKNOWN = '422 validation_failed'
/** For owners and admins alone: others see the record, or see none. */
const managers = (status: string): Line['ends'] => [status, status, FORBIDDEN, FORBIDDEN]
const owners = (status: string): Line['ends'] => [status, FORBIDDEN, FORBIDDEN, FORBIDDEN]
const unseen = (status: string): Line['ends'] => [status, status, MISSING, MISSING]
/** Every endpoint under /internal for sessions (contract 9, web.md), and how each role fares. */
export const LINES: Record<string, readonly Line[]> = {
  'POST /internal/projects': [{ ends: ['201', '201', '201', FORBIDDEN], body: { name: 'New' } }],
  'PATCH /internal/projects/:id': [
    { ends: managers('200'), ids: open, body: { icon: 'x' } },
    { ends: unseen('200'), ids: hidden, body: {} },
  ],
  'POST /internal/projects/:id/archive': [{ ends: unseen('200'), ids: hidden }],
  'POST /internal/projects/:id/unarchive': [
    { ends: managers('200'), ids: open },
    { ends: unseen('200'), ids: hidden },
  ],
  'GET /internal/projects/:id/index': [
    { ends: all('200'), ids: open, query: '?group=status' },
    { ends: unseen('200'), ids: hidden },
  ],
  'GET /internal/projects/:id/rows': [
    { ends: all('200'), ids: open, query: '?numbers=1' },
    { ends: unseen('200'), ids: hidden, query: '?numbers=1' },
  ],
  'GET /internal/projects/:id/views': [
    { ends: all('200'), ids: open },
    { ends: unseen('200'), ids: hidden },
  ],
  'POST /internal/views': [
    { ends: all('201'), body: ({ home }) => ({ project_id: home.project, name: 'Mine' }) },
    {
      ends: ['201', '201', UNKNOWN, UNKNOWN],
      body: ({ home }) => ({ project_id: home.hidden, name: 'Mine' }),
    },
    {
      ends: ['201', '201', '201', FORBIDDEN],
      body: ({ home }) => ({ project_id: home.project, name: 'Ours', is_shared: true }),
    },
  ],
  'PUT /internal/views/pins': [{ ends: all('200'), body: { view_ids: [] } }],
  'PATCH /internal/views/:id': [
    { ends: all('200'), ids: viewOf(), body: { name: 'Renamed' } },
    { ends: ['200', MISSING, MISSING, MISSING], ids: viewOf('owner'), body: {} },
    { ends: managers('200'), ids: viewOf('owner', true), body: { name: 'Renamed' } },
  ],
  'DELETE /internal/views/:id': [
    { ends: all('204'), ids: viewOf() },
    { ends: ['204', MISSING, MISSING, MISSING], ids: viewOf('owner') },
    { ends: managers('204'), ids: viewOf('owner', true) },
  ],
  ...Object.fromEntries(
    ['time', 'burn-up', 'flow', 'throughput', 'cycle-time', 'estimates'].map((report) => [
      `GET /internal/reports/${report}`,
      [{ ends: all('200') }],
    ]),
  ),
  'GET /internal/projects/:id/people': [
    { ends: all('200'), ids: open },
    { ends: unseen('200'), ids: hidden },
  ],
  'PUT /internal/projects/:id/people/:user_id': [
    { ends: managers('204'), ids: both(open, 'owner') },
    { ends: unseen('204'), ids: both(hidden, 'admin') },
  ],
  'DELETE /internal/projects/:id/people/:user_id': [
    { ends: managers('204'), ids: both(open, 'admin') },
    { ends: unseen('204'), ids: both(hidden, 'admin') },
  ],
  'PATCH /internal/members/:id': [
    { ends: managers('200'), ids: member, body: { role: 'guest' } },
    { ends: ['200', FORBIDDEN, FORBIDDEN, FORBIDDEN], ids: member, body: { role: 'owner' } },
    { ends: ['200', FORBIDDEN, FORBIDDEN, FORBIDDEN], ids: person('owner'), body: {} },
  ],
  'DELETE /internal/members/:id': [
    { ends: managers('204'), ids: member },
    { ends: ['204', FORBIDDEN, FORBIDDEN, FORBIDDEN], ids: anotherOwner },
  ],
  'GET /internal/exports': [{ ends: ['200', FORBIDDEN, FORBIDDEN, FORBIDDEN] }],
  'POST /internal/exports': [{ ends: ['201', FORBIDDEN, FORBIDDEN, FORBIDDEN] }],
  'GET /internal/exports/:id/content': [
    {
      ends: [MISSING, FORBIDDEN, FORBIDDEN, FORBIDDEN],
      ids: () => [newId('exp')],
    },
  ],
  'GET /internal/imports': [{ ends: managers('200') }],
  'POST /internal/imports': [
    {
      ends: ['201', '409 import_under_way', FORBIDDEN, FORBIDDEN],
      query: '?filename=plans.csv',
      body: { any: 'bytes' },
    },
  ],
  'GET /internal/imports/:id': [{ ends: managers('200'), ids: importIn('ready') }],
  'PATCH /internal/imports/:id': [
    { ends: managers('200'), ids: importIn('ready'), body: { people: [] } },
  ],
  'GET /internal/imports/:id/faults': [{ ends: managers('200'), ids: importIn('done') }],
  'POST /internal/imports/:id/start': [{ ends: managers('200'), ids: importIn('ready') }],
  'POST /internal/imports/:id/pause': [{ ends: managers('200'), ids: importIn('running') }],
  'POST /internal/imports/:id/cancel': [{ ends: managers('200'), ids: importIn('paused') }],
  'POST /internal/imports/:id/undo': [{ ends: managers('200'), ids: importIn('done') }],
  'GET /internal/members/:id/work': [
    { ends: managers('200'), ids: member },
    { ends: ['200', FORBIDDEN, FORBIDDEN, FORBIDDEN], ids: person('owner') },
  ],
  'POST /internal/members/:id/hand-over': [
    { ends: managers('200'), ids: member, body: { to: 'nobody' } },
    { ends: ['200', FORBIDDEN, FORBIDDEN, FORBIDDEN], ids: anotherOwner, body: { to: 'leads' } },
  ],
  'GET /internal/session': [{ ends: all('200') }],
  'PATCH /internal/session': [{ ends: all('200'), body: {} }],
  'DELETE /internal/session': [{ ends: all('204'), ends_session: true }],
  'GET /internal/sessions': [{ ends: all('200') }],
  'DELETE /internal/sessions/:id': [
    { ends: all('204'), ids: session() },
    { ends: ['204', MISSING, MISSING, MISSING], ids: session('owner') },
  ],
  'POST /internal/setup': [
    {
      ends: all(MISSING),
      body: { email: 'a@example.com', password: 'plum tart at noon', name: 'A', demo: 'keep' },
    },
  ],
  'DELETE /internal/account': [
    { ends: all('422 validation_failed'), body: { current_password: 'no' } },
  ],
  'PATCH /internal/account': [{ ends: all('200'), body: {} }],
  'GET /internal/account/sign-in': [{ ends: all('200') }],
  // Without the password nobody changes by what one signs in.
  'POST /internal/account/second-factor': [{ ends: all('422 validation_failed') }],
  'POST /internal/account/second-factor/enable': [
    { ends: all('422 validation_failed'), body: { code: '000000' } },
  ],
  'POST /internal/account/second-factor/recovery-codes': [
    { ends: all('422 validation_failed'), body: { code: '000000' } },
  ],
  'POST /internal/account/second-factor/disable': [
    { ends: all('422 validation_failed'), body: { code: '000000' } },
  ],
  'POST /internal/account/passkeys/challenge': [{ ends: all('422 validation_failed') }],
  'POST /internal/account/passkeys': [
    {
      ends: all('401 sign_in_over'),
      body: { name: 'K', id: 'a', client_data: 'a', attestation: 'a', transports: [] },
    },
  ],
  'DELETE /internal/account/passkeys/:id': [
    { ends: all(MISSING), ids: () => [`pky_${'0'.repeat(26)}`] },
  ],
  'DELETE /internal/account/company': [{ ends: all('204') }],
  'GET /internal/boot': [{ ends: all('200') }],
  'GET /internal/timer': [{ ends: all('200') }],
  'GET /internal/tasks/:id/activity': [
    { ends: all('200'), ids: openTask },
    { ends: unseen('200'), ids: hiddenTask },
  ],
  'GET /internal/tasks/:id/watch': [
    { ends: all('200'), ids: openTask },
    { ends: unseen('200'), ids: hiddenTask },
  ],
  'PATCH /internal/tasks/:id/watch': [
    { ends: all('200'), ids: openTask, body: { watching: true } },
    { ends: unseen('200'), ids: hiddenTask, body: { watching: true } },
  ],
  'GET /internal/notifications': [{ ends: all('200') }],
  'PATCH /internal/notifications': [{ ends: all('200'), body: { read: true } }],
  'GET /internal/notification-settings': [{ ends: all('200') }],
  'PATCH /internal/notification-settings': [{ ends: all('200'), body: { digest_hour: 9 } }],
  'POST /internal/tasks/:id/copy': [
    { ends: all('201'), ids: openTask },
    { ends: unseen('201'), ids: hiddenTask },
  ],
  'GET /internal/tasks/:id/trash': [
    { ends: all('200'), ids: ({ tasks }) => [tasks.deleted] },
    { ends: all(MISSING), ids: openTask },
  ],
  'GET /internal/search': [{ ends: all('200'), query: '?q=task' }],
  'GET /internal/near': [{ ends: all('200'), query: '?short_id=ENG-1' }],
  'GET /internal/templates': [
    { ends: all('200') },
    { ends: all('200'), query: '?project_id=prj_01k2m3n4p5q6r7s8t9v0w1x2y3' },
  ],
  'POST /internal/templates': [
    {
      ends: [UNKNOWN, UNKNOWN, UNKNOWN, FORBIDDEN],
      body: { task_id: 'tsk_01k2m3n4p5q6r7s8t9v0w1x2y3', name: 'T' },
    },
  ],
  'GET /internal/templates/:id': [
    { ends: all('200'), ids: templateOf('project') },
    { ends: unseen('200'), ids: templateOf('hidden') },
  ],
  'PATCH /internal/templates/:id': [
    { ends: ['200', '200', '200', FORBIDDEN], ids: templateOf('project'), body: { name: 'U' } },
    { ends: unseen('200'), ids: templateOf('hidden'), body: { name: 'U' } },
  ],
  'DELETE /internal/templates/:id': [
    { ends: ['204', '204', '204', FORBIDDEN], ids: templateOf('project') },
    { ends: unseen('204'), ids: templateOf('hidden') },
  ],
  'POST /internal/templates/:id/use': [
    { ends: all('201'), ids: templateOf('project') },
    { ends: unseen('201'), ids: templateOf('hidden') },
  ],
  'GET /internal/workspace': [{ ends: all('200') }],
  'PATCH /internal/workspace': [
    { ends: managers('200'), body: { name: 'Renamed' } },
    { ends: ['200', FORBIDDEN, FORBIDDEN, FORBIDDEN], body: { plan: 'paid' } },
  ],
  'GET /internal/workspace/sign-in': [{ ends: managers('200') }],
  // The owner's session has shown one factor: src/accounts/demand.test.ts shows two.
  'PATCH /internal/workspace/sign-in': [
    { ends: owners('200'), body: { second_factor: 'optional' } },
    { ends: owners('409 second_factor_missing'), body: { second_factor: 'required' } },
  ],
  'GET /internal/workspace/second-factor': [{ ends: all('200') }],
  // What a workspace that is deleted lets happen is in src/accounts/deletion.test.ts.
  'GET /internal/workspace/deletion': [{ ends: owners(MISSING) }],
  'POST /internal/workspace/restore': [{ ends: owners(MISSING) }],
  'DELETE /internal/workspace': [
    { ends: owners('422 validation_failed'), body: { name: 'No', current_password: 'no' } },
  ],
  'GET /internal/workspace/usage': [{ ends: managers('200') }],
  'GET /internal/audit': [{ ends: managers('200') }],
  'GET /internal/audit/check': [{ ends: managers('200') }],
  'GET /internal/api-keys': [{ ends: all('200') }],
  'POST /internal/api-keys': [{ ends: all('201'), body: { name: 'K', preset: 'full' } }],
  'DELETE /internal/api-keys/:id': [
    { ends: all('204'), ids: keyOf() },
    { ends: unseen('204'), ids: keyOf('owner') },
  ],
  'GET /internal/apps': [{ ends: managers('200') }],
  'POST /internal/apps': [
    {
      ends: managers('201'),
      body: {
        ...{ name: 'A', type: 'public', scopes: ['tasks:read'] },
        redirect_uris: ['https://a.example/cb'],
      },
    },
  ],
  'GET /internal/apps/:id': [{ ends: managers('200'), ids: application }],
  'PATCH /internal/apps/:id': [{ ends: managers('200'), ids: application, body: { name: 'B' } }],
  'DELETE /internal/apps/:id': [{ ends: managers('204'), ids: application }],
  'POST /internal/apps/:id/rotate-secret': [{ ends: managers('200'), ids: application }],
  'GET /internal/apps/:id/grants': [{ ends: managers('200'), ids: application }],
  'GET /internal/grants': [{ ends: all('200') }],
  'DELETE /internal/grants/:id': [
    { ends: all('204'), ids: grantOf() },
    { ends: ['204', MISSING, MISSING, MISSING], ids: grantOf('owner') },
  ],
  // What an application asks is there for one browser alone.
  'GET /internal/oauth/interactions/:uid': [{ ends: all(MISSING), ids: elsewhere }],
  'POST /internal/oauth/interactions/:uid': [
    { ends: all(MISSING), ids: elsewhere, body: { decision: 'deny' } },
  ],
  'GET /internal/invitations': [{ ends: managers('200') }],
  'POST /internal/invitations': [
    { ends: managers('201'), body: { email: 'new@example.com', role: 'admin' } },
    {
      ends: ['201', FORBIDDEN, FORBIDDEN, FORBIDDEN],
      body: { email: 'new@example.com', role: 'owner' },
    },
  ],
  'DELETE /internal/invitations/:id': [{ ends: managers('204'), ids: invitation }],
}

/** What needs no session: these have no roles, and take no key either. */
export const OPEN: ReadonlySet<string> = new Set([
  'GET /internal/setup',
  'POST /internal/signup',
  'POST /internal/session',
  'POST /internal/session/second-factor',
  'POST /internal/session/workspace',
  'DELETE /internal/session/workspace',
  'POST /internal/session/link',
  'POST /internal/session/passkey',
  'POST /internal/session/passkey/challenge',
  'POST /internal/company-sign-in',
  'POST /internal/company-sign-in/finish',
  'POST /internal/password-resets',
  'POST /internal/password-resets/accept',
  'POST /internal/invitations/lookup',
  'POST /internal/invitations/accept',
])
