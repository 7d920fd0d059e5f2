import { newId } from '#lib/id.ts'
import { ACCESS_ENDPOINT_CASES } from './access-endpoints.ts'
import {
  everyone,
  FORBIDDEN,
  hiddenFromOthers,
  type InternalEndpointCase,
  MISSING,
  managersOnly,
} from './endpoint-outcomes.ts'
import {
  hiddenProjectIds,
  hiddenTaskIds,
  newDeletedCommentIds,
  newImportIds,
  newPushDeviceIds,
  newTagIds,
  newTemplateIds,
  newViewIds,
  openProjectIds,
  openTaskIds,
  withUserId,
} from './internal-records.ts'

const UNKNOWN = '422 validation_failed'

/** The outcomes of every endpoint under /internal that needs a session (docs/spec/api.md#internal-api-of-the-web-app, web.md). */
export const INTERNAL_ENDPOINT_CASES: Record<string, readonly InternalEndpointCase[]> = {
  ...ACCESS_ENDPOINT_CASES,
  'POST /internal/workspaces': [
    {
      // Without open sign-up, owners alone.
      outcomes: ['201', '403 signup_disabled', '403 signup_disabled', '403 signup_disabled'],
      body: { name: 'Another', timezone: 'UTC' },
    },
  ],
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
  'GET /internal/projects/:id/tasks': [
    { outcomes: everyone('200'), ids: openProjectIds },
    { outcomes: hiddenFromOthers('200'), ids: hiddenProjectIds },
  ],
  'GET /internal/open-tasks': [{ outcomes: everyone('200') }],
  'GET /internal/projects/:id/matches': [
    { outcomes: everyone('200'), ids: openProjectIds, query: '?q=words' },
    { outcomes: hiddenFromOthers('200'), ids: hiddenProjectIds, query: '?q=words' },
  ],
  'GET /internal/changes': [{ outcomes: everyone('200') }],
  'GET /internal/projects/:id/views': [
    { outcomes: everyone('200'), ids: openProjectIds },
    { outcomes: hiddenFromOthers('200'), ids: hiddenProjectIds },
  ],
  'GET /internal/views': [{ outcomes: everyone('200') }],
  'POST /internal/views': [
    { outcomes: everyone('201'), body: ({ team }) => ({ project_id: team.project, name: 'Mine' }) },
    {
      outcomes: ['201', '201', UNKNOWN, UNKNOWN],
      body: ({ team }) => ({ project_id: team.hidden, name: 'Mine' }),
    },
    {
      outcomes: ['201', '201', '201', FORBIDDEN],
      body: ({ team }) => ({ project_id: team.project, name: 'Ours', is_shared: true }),
    },
    { outcomes: everyone('201'), body: { project_id: null, name: 'Mine' } },
    {
      outcomes: ['201', '201', '201', FORBIDDEN],
      body: { project_id: null, name: 'Ours', is_shared: true },
    },
  ],
  'PUT /internal/views/pins': [{ outcomes: everyone('200'), body: { view_ids: [] } }],
  'PATCH /internal/views/:id': [
    { outcomes: everyone('200'), ids: newViewIds(), body: { name: 'Renamed' } },
    { outcomes: ['200', MISSING, MISSING, MISSING], ids: newViewIds('owner'), body: {} },
    { outcomes: managersOnly('200'), ids: newViewIds('owner', true), body: { name: 'Renamed' } },
    { outcomes: everyone('200'), ids: newViewIds(undefined, false, null), body: { name: 'Other' } },
    {
      outcomes: ['200', MISSING, MISSING, MISSING],
      ids: newViewIds('owner', false, null),
      body: {},
    },
    {
      outcomes: ['200', '200', FORBIDDEN, MISSING],
      ids: newViewIds('owner', true, null),
      body: { name: 'Renamed' },
    },
  ],
  'DELETE /internal/views/:id': [
    { outcomes: everyone('204'), ids: newViewIds() },
    { outcomes: ['204', MISSING, MISSING, MISSING], ids: newViewIds('owner') },
    { outcomes: managersOnly('204'), ids: newViewIds('owner', true) },
    { outcomes: ['204', MISSING, MISSING, MISSING], ids: newViewIds('owner', false, null) },
    { outcomes: ['204', '204', FORBIDDEN, MISSING], ids: newViewIds('owner', true, null) },
  ],
  ...Object.fromEntries(
    ['time-entries', 'burn-up', 'flow', 'throughput', 'cycle-time', 'estimates'].map((report) => [
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
  'GET /internal/imports/:id/warnings': [
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
  'GET /internal/push': [{ outcomes: everyone('200') }],
  'PUT /internal/push': [
    {
      outcomes: everyone('204'),
      body: {
        endpoint: 'https://push.example.com/one',
        keys: { p256dh: `B${'x'.repeat(86)}`, auth: 'x'.repeat(22) },
      },
    },
  ],
  'DELETE /internal/push/waiting': [{ outcomes: everyone('204') }],
  'DELETE /internal/push/:id': [
    { outcomes: everyone('204'), ids: newPushDeviceIds() },
    { outcomes: ['204', MISSING, MISSING, MISSING], ids: newPushDeviceIds('owner') },
  ],
  'POST /internal/tasks/:id/copy': [
    { outcomes: everyone('201'), ids: openTaskIds },
    { outcomes: hiddenFromOthers('201'), ids: hiddenTaskIds },
  ],
  'PUT /internal/tasks/:id/editing': [
    { outcomes: everyone('204'), ids: openTaskIds },
    { outcomes: hiddenFromOthers('204'), ids: hiddenTaskIds },
  ],
  'GET /internal/tasks/:id/trash': [
    { outcomes: everyone('200'), ids: ({ tasks }) => [tasks.deleted] },
    { outcomes: everyone(MISSING), ids: openTaskIds },
  ],
  'GET /internal/trash': [{ outcomes: everyone('200') }],
  'GET /internal/trash/comments': [{ outcomes: everyone('200') }],
  'POST /internal/comments/:id/restore': [
    { outcomes: everyone('200'), ids: newDeletedCommentIds('open') },
    { outcomes: managersOnly('200'), ids: newDeletedCommentIds('open', 'owner') },
    { outcomes: hiddenFromOthers('200'), ids: newDeletedCommentIds('hidden') },
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
