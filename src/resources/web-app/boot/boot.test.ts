import assert from 'node:assert/strict'
import { scenario } from '#test/support/scenario/scenario.ts'

scenario('returns the data of every screen, limited to what the user sees', [
  {
    send: 'POST /api/v1/tasks',
    body: {
      project_id: '{project}',
      title: 'Late',
      due_date: '2020-01-01',
      assignee_ids: ['{owner}'],
    },
    status: 201,
    events: ['task.created', 'task.assigned'],
  },
  {
    send: 'GET /internal/boot',
    as: 'owner session',
    status: 200,
    reply: {
      session: { user: { id: '{owner}', role: 'owner' }, workspace: { id: '{workspace}' } },
      roles: [
        {
          role: 'owner',
          rights: [
            'own_workspace',
            'manage_workspace',
            'change_work_of_others',
            'see_all_projects',
            'see_open_projects',
            'shape_projects',
          ],
        },
        {
          role: 'admin',
          rights: [
            'manage_workspace',
            'change_work_of_others',
            'see_all_projects',
            'see_open_projects',
            'shape_projects',
          ],
        },
        { role: 'member', rights: ['see_open_projects', 'shape_projects'] },
        { role: 'guest', rights: [] },
      ],
      projects: [{ id: '{project}', task_counts: { total: 1 } }, { id: '{hidden}' }],
      former: [],
      mine: { due: [{ due_date: '2020-01-01' }] },
      inbox: { unread: 0 },
      settings: {
        max_attachment_bytes: 104_857_600,
        signup: 'invite',
        mail: false,
        offers_plans: false,
      },
    },
    check: ({ body }) => assert.match(JSON.stringify(body), /"email":"member\./),
  },
  {
    send: 'GET /internal/boot',
    as: 'guest session',
    status: 200,
    reply: {
      session: { user: { role: 'guest' } },
      roles: [{}, {}, {}, { role: 'guest', rights: [] }],
      projects: [{ id: '{project}' }],
      mine: { due: [] },
    },
    check: ({ body }) => assert.ok(!/"email":"member\./.test(JSON.stringify(body))),
  },
  // A member who does not see a project any longer stays assigned to its tasks.
  { send: 'PUT /internal/projects/{hidden}/people/{member}', as: 'session', status: 204 },
  {
    send: 'POST /api/v1/tasks',
    body: {
      project_id: '{hidden}',
      title: 'Secret',
      due_date: '2030-01-01',
      assignee_ids: ['{member}'],
    },
    status: 201,
    events: ['task.created', 'task.assigned'],
  },
  {
    send: 'GET /internal/boot',
    as: 'member session',
    status: 200,
    reply: { mine: { due: [{ due_date: '2030-01-01' }] } },
  },
  { send: 'DELETE /internal/projects/{hidden}/people/{member}', as: 'session', status: 204 },
  {
    send: 'GET /internal/boot',
    as: 'member session',
    status: 200,
    reply: { mine: { due: [] } },
  },
  { send: 'GET /internal/boot', status: 403, reply: { error: { code: 'session_required' } } },
  { send: 'GET /internal/boot', as: 'nobody', status: 401 },
])
