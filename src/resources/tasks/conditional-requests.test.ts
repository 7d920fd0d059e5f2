import assert from 'node:assert/strict'
import { type ScenarioStep, scenario } from '#test/support/scenario/scenario.ts'
import {
  createTaskStep,
  patchTaskStep,
  prepareProjectChange,
  rejectedStep,
  validationFailedStep,
} from '#test/support/scenario/steps.ts'

const PATCH = 'PATCH /api/v1/tasks/{Task}'
const patch = (body: object, more?: Partial<ScenarioStep>) => patchTaskStep('Task', body, more)

scenario('rejects every write in an archived project, even without changes', [
  createTaskStep('Task'),
  createTaskStep('Done', { status: 'done' }),
  createTaskStep('Other', { project_id: '{hidden}' }),
  validationFailedStep(PATCH, { title: '' }, { title: 'too_short' }),
  rejectedStep(PATCH, 409, 'project_archived', {
    prepare: prepareProjectChange('project', { archived: true }),
    body: {},
  }),
  validationFailedStep(PATCH, { parent_id: '{Task}' }, { parent_id: 'cycle' }),
  ...['complete', 'restore'].map((verb) =>
    rejectedStep(`POST /api/v1/tasks/{Task}/${verb}`, 409, 'project_archived'),
  ),
  rejectedStep('POST /api/v1/tasks/{Done}/complete', 409, 'project_archived'),
  rejectedStep('POST /api/v1/tasks', 409, 'project_archived', {
    body: { project_id: '{project}', title: 'x' },
  }),
  rejectedStep('PATCH /api/v1/tasks/{Other}', 409, 'project_archived', {
    body: { project_id: '{project}' },
  }),
  { send: 'GET /api/v1/tasks/{Task}', status: 200, reply: { version: 1 } },
])

scenario('If-Match allows changes of the matching version only', [
  createTaskStep('Task', {}, { keep: { Task: 'id', version: 'version' } }),
  ...['"1"', '"1-ffffffff"', 'W/"1-0"', '"9", "1"', '*'].map((tag) =>
    patch({}, { headers: { 'if-match': tag }, events: [] }),
  ),
  ...['"2"', '"0", "3-1"', '"x"', '"-1"', '""'].map((tag) =>
    rejectedStep(PATCH, 412, 'version_mismatch', {
      headers: { 'if-match': tag },
      body: { title: '' },
    }),
  ),
  ...['1', '', '"1', '"1" "2"', 'w/"1"'].map((tag) =>
    rejectedStep(PATCH, 400, 'invalid_header', { headers: { 'if-match': tag }, body: {} }),
  ),
  rejectedStep('POST /api/v1/tasks/{Task}/complete', 412, 'version_mismatch', {
    headers: { 'if-match': '"7"' },
  }),
  rejectedStep('DELETE /api/v1/tasks/{Task}', 412, 'version_mismatch', {
    headers: { 'if-match': '"7"' },
  }),
  rejectedStep('POST /api/v1/tasks/{Task}/restore', 412, 'version_mismatch', {
    headers: { 'if-match': '"7"' },
  }),
  {
    send: 'POST /api/v1/tasks/{Task}/comments',
    body: { body: 'x' },
    status: 201,
    events: ['comment.created'],
  },
  {
    send: 'GET /api/v1/tasks/{Task}',
    status: 200,
    check: ({ headers }, known) => {
      known.etag = headers.etag ?? ''
      assert.match(known.etag, /^"1-[0-9a-f]{8}"$/)
    },
  },
  ...['*', '{etag}', 'W/{etag}', '"x",{etag}'].map(
    (tag): ScenarioStep => ({
      send: 'GET /api/v1/tasks/{Task}',
      headers: { 'if-none-match': tag },
      status: 304,
      replyHeaders: { etag: '{etag}' },
      check: ({ body }) => assert.equal(body, undefined),
    }),
  ),
  ...['"1"', '"x"', 'nonsense'].map(
    (tag): ScenarioStep => ({
      send: 'GET /api/v1/tasks/{Task}',
      headers: { 'if-none-match': tag, 'if-match': '"99"' },
      status: 200,
    }),
  ),
  { send: 'HEAD /api/v1/tasks/{Task}', status: 200, replyHeaders: { etag: '{etag}' } },
  {
    send: 'HEAD /api/v1/tasks/{Task}',
    headers: { 'if-none-match': '{etag}' },
    status: 304,
  },
  patch({ title: 'New' }, { headers: { 'if-match': '{etag}' } }),
])

scenario('a dry run of update returns the result and changes nothing', [
  createTaskStep('Task'),
  {
    send: `${PATCH}?dry_run=true`,
    body: { project_id: '{hidden}', status: 'done' },
    status: 200,
    reply: { short_id: 'HID-1', status: 'done', version: 2 },
    replyHeaders: { 'x-dry-run': 'true', etag: null, 'x-operation-id': null },
  },
  {
    send: 'POST /api/v1/tasks/{Task}/complete?dry_run=true',
    status: 200,
    reply: { status: 'done' },
  },
  { send: 'GET /api/v1/tasks/{Task}', status: 200, reply: { version: 1, status: 'todo' } },
])
