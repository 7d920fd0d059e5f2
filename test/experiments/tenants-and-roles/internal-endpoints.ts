import type { Role } from '#core/actor.ts'
import { newId } from '#lib/id.ts'
import {
  hiddenProjectIds,
  hiddenTaskIds,
  newApiKeyIds,
  newApplicationIds,
  newGrantIds,
  newImportIds,
  newInvitationIds,
  newMemberIds,
  newOwnerIds,
  newSessionIds,
  newTagIds,
  newTemplateIds,
  newViewIds,
  openProjectIds,
  openTaskIds,
  type SignedInWorkspace,
  unknownInteractionIds,
  userIds,
  withUserId,
} from './internal-records.ts'

/** A request to an endpoint, and its outcome for owner, admin, member and guest. */
export interface InternalEndpointCase {
  outcomes: readonly [owner: string, admin: string, member: string, guest: string]
  /** Returns the ids for the path, in their order. */
  ids?: (world: SignedInWorkspace, role: Role) => Promise<string[]> | string[]
  query?: string
  body?: object | ((world: SignedInWorkspace) => object)
  /** Whether the request ends its own session. */
  endsSession?: true
}

const everyone = (status: string): InternalEndpointCase['outcomes'] => [
  status,
  status,
  status,
  status,
]
const FORBIDDEN = '403 insufficient_role'
const MISSING = '404 not_found'
const UNKNOWN = '422 validation_failed'
/** For owners and admins; others may see the record. */
const managersOnly = (status: string): InternalEndpointCase['outcomes'] => [
  status,
  status,
  FORBIDDEN,
  FORBIDDEN,
]
const ownersOnly = (status: string): InternalEndpointCase['outcomes'] => [
  status,
  FORBIDDEN,
  FORBIDDEN,
  FORBIDDEN,
]
/** For owners and admins; others cannot see the record. */
const hiddenFromOthers = (status: string): InternalEndpointCase['outcomes'] => [
  status,
  status,
  MISSING,
  MISSING,
]

/** The outcomes of every endpoint under /internal that needs a session (docs/spec/api.md#internal-api-of-the-web-app, web.md). */
export const INTERNAL_ENDPOINT_CASES: Record<string, readonly InternalEndpointCase[]> = {
  'POST /internal/projects': [
    { outcomes: ['201', '201', '201', FORBIDDEN], body: { name: 'New' } },
  ],
  'PATCH /internal/projects/:id': [
    { outcomes: managersOnly('200'), ids: openProjectIds, body: { icon: 'x' } },
    { outcomes: hiddenFromOthers('200'), ids: hiddenProjectIds, body: {} },
  ],
  'POST /internal/projects/:id/archive': [
    { outcomes: hiddenFromOthers('200'), ids: hiddenProjectIds },
  ],
  'POST /internal/projects/:id/unarchive': [
    { outcomes: managersOnly('200'), ids: openProjectIds },
    { outcomes: hiddenFromOthers('200'), ids: hiddenProjectIds },
  ],
  'GET /internal/projects/:id/index': [
    { outcomes: everyone('200'), ids: openProjectIds, query: '?group=status' },
    { outcomes: hiddenFromOthers('200'), ids: hiddenProjectIds },
  ],
  'GET /internal/projects/:id/rows': [
    { outcomes: everyone('200'), ids: openProjectIds, query: '?numbers=1' },
    { outcomes: hiddenFromOthers('200'), ids: hiddenProjectIds, query: '?numbers=1' },
  ],
  'GET /internal/projects/:id/views': [
    { outcomes: everyone('200'), ids: openProjectIds },
    { outcomes: hiddenFromOthers('200'), ids: hiddenProjectIds },
  ],
  'POST /internal/views': [
    { outcomes: everyone('201'), body: ({ home }) => ({ project_id: home.project, name: 'Mine' }) },
    {
      outcomes: ['201', '201', UNKNOWN, UNKNOWN],
      body: ({ home }) => ({ project_id: home.hidden, name: 'Mine' }),
    },
    {
      outcomes: ['201', '201', '201', FORBIDDEN],
      body: ({ home }) => ({ project_id: home.project, name: 'Ours', is_shared: true }),
    },
  ],
  'PUT /internal/views/pins': [{ outcomes: everyone('200'), body: { view_ids: [] } }],
  'PATCH /internal/views/:id': [
    { outcomes: everyone('200'), ids: newViewIds(), body: { name: 'Renamed' } },
    { outcomes: ['200', MISSING, MISSING, MISSING], ids: newViewIds('owner'), body: {} },
    { outcomes: managersOnly('200'), ids: newViewIds('owner', true), body: { name: 'Renamed' } },
  ],
  'DELETE /internal/views/:id': [
    { outcomes: everyone('204'), ids: newViewIds() },
    { outcomes: ['204', MISSING, MISSING, MISSING], ids: newViewIds('owner') },
    { outcomes: managersOnly('204'), ids: newViewIds('owner', true) },
  ],
  ...Object.fromEntries(
    ['time', 'burn-up', 'flow', 'throughput', 'cycle-time', 'estimates'].map((report) => [
      `GET /internal/reports/${report}`,
      [{ outcomes: everyone('200') }],
    ]),
  ),
  'GET /internal/projects/:id/people': [
    { outcomes: everyone('200'), ids: openProjectIds },
    { outcomes: hiddenFromOthers('200'), ids: hiddenProjectIds },
  ],
  'PUT /internal/projects/:id/people/:user_id': [
    { outcomes: managersOnly('204'), ids: withUserId(openProjectIds, 'owner') },
    { outcomes: hiddenFromOthers('204'), ids: withUserId(hiddenProjectIds, 'admin') },
  ],
  'DELETE /internal/projects/:id/people/:user_id': [
    { outcomes: managersOnly('204'), ids: withUserId(openProjectIds, 'admin') },
    { outcomes: hiddenFromOthers('204'), ids: withUserId(hiddenProjectIds, 'admin') },
  ],
  'PATCH /internal/members/:id': [
    { outcomes: managersOnly('200'), ids: newMemberIds, body: { role: 'guest' } },
    {
      outcomes: ['200', FORBIDDEN, FORBIDDEN, FORBIDDEN],
      ids: newMemberIds,
      body: { role: 'owner' },
    },
    { outcomes: ['200', FORBIDDEN, FORBIDDEN, FORBIDDEN], ids: userIds('owner'), body: {} },
  ],
  'DELETE /internal/members/:id': [
    { outcomes: managersOnly('204'), ids: newMemberIds },
    { outcomes: ['204', FORBIDDEN, FORBIDDEN, FORBIDDEN], ids: newOwnerIds },
  ],
  'GET /internal/exports': [{ outcomes: ['200', FORBIDDEN, FORBIDDEN, FORBIDDEN] }],
  'POST /internal/exports': [{ outcomes: ['201', FORBIDDEN, FORBIDDEN, FORBIDDEN] }],
  'GET /internal/exports/:id/content': [
    {
      outcomes: [MISSING, FORBIDDEN, FORBIDDEN, FORBIDDEN],
      ids: () => [newId('exp')],
    },
  ],
  'GET /internal/imports': [{ outcomes: managersOnly('200') }],
  'POST /internal/imports': [
    {
      outcomes: ['201', '409 import_under_way', FORBIDDEN, FORBIDDEN],
      query: '?filename=plans.csv',
      body: { any: 'bytes' },
    },
  ],
  'GET /internal/imports/:id': [{ outcomes: managersOnly('200'), ids: newImportIds('ready') }],
  'PATCH /internal/imports/:id': [
    { outcomes: managersOnly('200'), ids: newImportIds('ready'), body: { people: [] } },
  ],
  'GET /internal/imports/:id/faults': [
    { outcomes: managersOnly('200'), ids: newImportIds('done') },
  ],
  'POST /internal/imports/:id/start': [
    { outcomes: managersOnly('200'), ids: newImportIds('ready') },
  ],
  'POST /internal/imports/:id/pause': [
    { outcomes: managersOnly('200'), ids: newImportIds('running') },
  ],
  'POST /internal/imports/:id/cancel': [
    { outcomes: managersOnly('200'), ids: newImportIds('paused') },
  ],
  'POST /internal/imports/:id/undo': [{ outcomes: managersOnly('200'), ids: newImportIds('done') }],
  'GET /internal/members/:id/work': [
    { outcomes: managersOnly('200'), ids: newMemberIds },
    { outcomes: ['200', FORBIDDEN, FORBIDDEN, FORBIDDEN], ids: userIds('owner') },
  ],
  'POST /internal/members/:id/hand-over': [
    { outcomes: managersOnly('200'), ids: newMemberIds, body: { to: 'nobody' } },
    { outcomes: ['200', FORBIDDEN, FORBIDDEN, FORBIDDEN], ids: newOwnerIds, body: { to: 'leads' } },
  ],
  'GET /internal/session': [{ outcomes: everyone('200') }],
  'PATCH /internal/session': [{ outcomes: everyone('200'), body: {} }],
  'DELETE /internal/session': [{ outcomes: everyone('204'), endsSession: true }],
  'GET /internal/sessions': [{ outcomes: everyone('200') }],
  'DELETE /internal/sessions/:id': [
    { outcomes: everyone('204'), ids: newSessionIds() },
    { outcomes: ['204', MISSING, MISSING, MISSING], ids: newSessionIds('owner') },
  ],
  'POST /internal/setup': [
    {
      outcomes: everyone(MISSING),
      body: { email: 'a@example.com', password: 'plum tart at noon', name: 'A', demo: 'keep' },
    },
  ],
  'DELETE /internal/account': [
    { outcomes: everyone('422 validation_failed'), body: { current_password: 'no' } },
  ],
  'PATCH /internal/account': [{ outcomes: everyone('200'), body: {} }],
  'GET /internal/account/sign-in': [{ outcomes: everyone('200') }],
  // Changes of sign-in methods need the current password.
  'POST /internal/account/second-factor': [{ outcomes: everyone('422 validation_failed') }],
  'POST /internal/account/second-factor/enable': [
    { outcomes: everyone('422 validation_failed'), body: { code: '000000' } },
  ],
  'POST /internal/account/second-factor/recovery-codes': [
    { outcomes: everyone('422 validation_failed'), body: { code: '000000' } },
  ],
  'POST /internal/account/second-factor/disable': [
    { outcomes: everyone('422 validation_failed'), body: { code: '000000' } },
  ],
  'POST /internal/account/passkeys/challenge': [{ outcomes: everyone('422 validation_failed') }],
  'POST /internal/account/passkeys': [
    {
      outcomes: everyone('401 sign_in_over'),
      body: { name: 'K', id: 'a', client_data: 'a', attestation: 'a', transports: [] },
    },
  ],
  'DELETE /internal/account/passkeys/:id': [
    { outcomes: everyone(MISSING), ids: () => [`pky_${'0'.repeat(26)}`] },
  ],
  'DELETE /internal/account/company': [{ outcomes: everyone('422 validation_failed'), body: {} }],
  'GET /internal/boot': [{ outcomes: everyone('200') }],
  'GET /internal/timer': [{ outcomes: everyone('200') }],
  'GET /internal/tasks/:id/activity': [
    { outcomes: everyone('200'), ids: openTaskIds },
    { outcomes: hiddenFromOthers('200'), ids: hiddenTaskIds },
  ],
  'GET /internal/tasks/:id/watch': [
    { outcomes: everyone('200'), ids: openTaskIds },
    { outcomes: hiddenFromOthers('200'), ids: hiddenTaskIds },
  ],
  'PATCH /internal/tasks/:id/watch': [
    { outcomes: everyone('200'), ids: openTaskIds, body: { watching: true } },
    { outcomes: hiddenFromOthers('200'), ids: hiddenTaskIds, body: { watching: true } },
  ],
  'GET /internal/notifications': [{ outcomes: everyone('200') }],
  'PATCH /internal/notifications': [{ outcomes: everyone('200'), body: { read: true } }],
  'GET /internal/notification-settings': [{ outcomes: everyone('200') }],
  'PATCH /internal/notification-settings': [
    { outcomes: everyone('200'), body: { digest_hour: 9 } },
  ],
  'POST /internal/tasks/:id/copy': [
    { outcomes: everyone('201'), ids: openTaskIds },
    { outcomes: hiddenFromOthers('201'), ids: hiddenTaskIds },
  ],
  'GET /internal/tasks/:id/trash': [
    { outcomes: everyone('200'), ids: ({ tasks }) => [tasks.deleted] },
    { outcomes: everyone(MISSING), ids: openTaskIds },
  ],
  'GET /internal/search': [{ outcomes: everyone('200'), query: '?q=task' }],
  'GET /internal/near': [{ outcomes: everyone('200'), query: '?short_id=ENG-1' }],
  'POST /internal/tags/:id/merge': [
    {
      outcomes: [UNKNOWN, UNKNOWN, UNKNOWN, FORBIDDEN],
      ids: newTagIds('project'),
      body: { into_id: 'tag_01k2m3n4p5q6r7s8t9v0w1x2y3' },
    },
    {
      outcomes: hiddenFromOthers(UNKNOWN),
      ids: newTagIds('hidden'),
      body: { into_id: 'tag_01k2m3n4p5q6r7s8t9v0w1x2y3' },
    },
  ],
  'GET /internal/templates': [
    { outcomes: everyone('200') },
    { outcomes: everyone('200'), query: '?project_id=prj_01k2m3n4p5q6r7s8t9v0w1x2y3' },
  ],
  'POST /internal/templates': [
    {
      outcomes: [UNKNOWN, UNKNOWN, UNKNOWN, FORBIDDEN],
      body: { task_id: 'tsk_01k2m3n4p5q6r7s8t9v0w1x2y3', name: 'T' },
    },
  ],
  'GET /internal/templates/:id': [
    { outcomes: everyone('200'), ids: newTemplateIds('project') },
    { outcomes: hiddenFromOthers('200'), ids: newTemplateIds('hidden') },
  ],
  'PATCH /internal/templates/:id': [
    {
      outcomes: ['200', '200', '200', FORBIDDEN],
      ids: newTemplateIds('project'),
      body: { name: 'U' },
    },
    { outcomes: hiddenFromOthers('200'), ids: newTemplateIds('hidden'), body: { name: 'U' } },
  ],
  'DELETE /internal/templates/:id': [
    { outcomes: ['204', '204', '204', FORBIDDEN], ids: newTemplateIds('project') },
    { outcomes: hiddenFromOthers('204'), ids: newTemplateIds('hidden') },
  ],
  'POST /internal/templates/:id/use': [
    { outcomes: everyone('201'), ids: newTemplateIds('project') },
    { outcomes: hiddenFromOthers('201'), ids: newTemplateIds('hidden') },
  ],
  'GET /internal/workspace': [{ outcomes: everyone('200') }],
  'PATCH /internal/workspace': [
    { outcomes: managersOnly('200'), body: { name: 'Renamed' } },
    { outcomes: ['200', FORBIDDEN, FORBIDDEN, FORBIDDEN], body: { plan: 'paid' } },
  ],
  'GET /internal/workspace/sign-in': [{ outcomes: managersOnly('200') }],
  // These sessions have shown one factor; src/accounts/second-factor/second-factor-policy.test.ts
  // tests two.
  'PATCH /internal/workspace/sign-in': [
    { outcomes: ownersOnly('200'), body: { second_factor: 'optional' } },
    { outcomes: ownersOnly('409 second_factor_missing'), body: { second_factor: 'required' } },
  ],
  'GET /internal/workspace/second-factor': [{ outcomes: everyone('200') }],
  // src/accounts/deletion/delete-workspace.test.ts tests deleted workspaces.
  'GET /internal/workspace/deletion': [{ outcomes: ownersOnly(MISSING) }],
  'POST /internal/workspace/restore': [{ outcomes: ownersOnly(MISSING) }],
  'DELETE /internal/workspace': [
    { outcomes: ownersOnly('422 validation_failed'), body: { name: 'No', current_password: 'no' } },
  ],
  'GET /internal/workspace/usage': [{ outcomes: managersOnly('200') }],
  'GET /internal/audit': [{ outcomes: managersOnly('200') }],
  'GET /internal/audit/check': [{ outcomes: managersOnly('200') }],
  'GET /internal/api-keys': [{ outcomes: everyone('200') }],
  'POST /internal/api-keys': [{ outcomes: everyone('201'), body: { name: 'K', preset: 'full' } }],
  'PATCH /internal/api-keys/:id': [
    { outcomes: everyone('200'), ids: newApiKeyIds(), body: { rate_limit: 9 } },
    { outcomes: hiddenFromOthers('200'), ids: newApiKeyIds('owner'), body: { rate_limit: 9 } },
  ],
  'DELETE /internal/api-keys/:id': [
    { outcomes: everyone('204'), ids: newApiKeyIds() },
    { outcomes: hiddenFromOthers('204'), ids: newApiKeyIds('owner') },
  ],
  'GET /internal/apps': [{ outcomes: managersOnly('200') }],
  'POST /internal/apps': [
    {
      outcomes: managersOnly('201'),
      body: {
        ...{ name: 'A', type: 'public', scopes: ['tasks:read'] },
        redirect_uris: ['https://a.example/cb'],
      },
    },
  ],
  'GET /internal/apps/:id': [{ outcomes: managersOnly('200'), ids: newApplicationIds }],
  'PATCH /internal/apps/:id': [
    { outcomes: managersOnly('200'), ids: newApplicationIds, body: { name: 'B' } },
  ],
  'DELETE /internal/apps/:id': [{ outcomes: managersOnly('204'), ids: newApplicationIds }],
  'POST /internal/apps/:id/rotate-secret': [
    { outcomes: managersOnly('200'), ids: newApplicationIds },
  ],
  'GET /internal/apps/:id/grants': [{ outcomes: managersOnly('200'), ids: newApplicationIds }],
  'GET /internal/grants': [{ outcomes: everyone('200') }],
  'DELETE /internal/grants/:id': [
    { outcomes: everyone('204'), ids: newGrantIds() },
    { outcomes: ['204', MISSING, MISSING, MISSING], ids: newGrantIds('owner') },
  ],
  // An OAuth interaction exists for one browser only.
  'GET /internal/oauth/interactions/:uid': [
    { outcomes: everyone(MISSING), ids: unknownInteractionIds },
  ],
  'POST /internal/oauth/interactions/:uid': [
    { outcomes: everyone(MISSING), ids: unknownInteractionIds, body: { decision: 'deny' } },
  ],
  'GET /internal/invitations': [{ outcomes: managersOnly('200') }],
  'POST /internal/invitations': [
    { outcomes: managersOnly('201'), body: { email: 'new@example.com', role: 'admin' } },
    {
      outcomes: ['201', FORBIDDEN, FORBIDDEN, FORBIDDEN],
      body: { email: 'new@example.com', role: 'owner' },
    },
  ],
  'DELETE /internal/invitations/:id': [{ outcomes: managersOnly('204'), ids: newInvitationIds }],
}

/** Endpoints without a session: they know no roles, and accept no API key either. */
export const ENDPOINTS_WITHOUT_SESSION: ReadonlySet<string> = new Set([
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
