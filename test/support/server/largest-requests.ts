import type { LargeWorkspace } from '../data/large-workspace.ts'

/** A request with the most that its endpoint accepts, and the status of its reply. */
export interface LargeRequest {
  /** The method and the path of the endpoint. */
  endpoint: string
  url: string
  body?: object
  status?: number
}

/** A replay can have 10,000 events. */
const REPLAYED_RANGE = { from_sequence: 1, to_sequence: 9_900 }

/**
 * The largest requests for endpoints whose work depends on the size of the workspace, in an order in
 * which each finds what it needs. Lists are sent with the dearest orders and filters.
 */
export function largestRequests(team: LargeWorkspace): LargeRequest[] {
  const { project, people, tag, otherTag, webhook, tasks, linked, trees, bulkRoots } = team
  const [task = ''] = tasks
  const get = (endpoint: string, ...queries: string[]): LargeRequest[] =>
    queries.map((query) => ({
      endpoint: `GET ${endpoint}`,
      url: `${endpoint.replace(':id', idFor(endpoint))}?${query}`,
    }))
  const idFor = (endpoint: string) =>
    endpoint.includes('/projects/') ? project : endpoint.includes('/webhooks/') ? webhook : task
  const send = (endpoint: string, id: string, body: object = {}, status = 200): LargeRequest => ({
    endpoint,
    status,
    url: endpoint.replace(/^\w+ /, '').replace(':id', id),
    ...(!endpoint.startsWith('DELETE') && { body }),
  })
  const titles = 'q=common%20wo'
  // As many words as count, each the beginning of a word of all tasks.
  const manyWords = 'q=co+wo+of+ta+te+th+sa+li'
  const wanted = `assignee_id=${people.member}&tag_id=${tag}`
  const docs = ['/api/v1/openapi.json', '/docs/guides/webhooks', '/llms.txt']
  return [
    // Made at their first request.
    ...docs.map((url) => ({ endpoint: `GET ${url}`, url })),
    ...get(
      '/api/v1/tasks',
      ...['created_at', 'updated_at', 'due_date', 'priority', '-priority'].map(
        (sort) => `limit=200&sort=${sort}`,
      ),
      ...['', '-'].map((sign) => `limit=200&sort=${sign}updated_at&${titles}&${wanted}`),
      `limit=200&sort=due_date&status_category=unstarted&${wanted}`,
      `limit=200&q=absent`,
      `limit=200&${manyWords}`,
      `limit=200&id=${tasks.slice(0, 100).map((_, at) => `ENG-${at + 1}`)}`,
    ),
    ...get(
      '/api/v1/projects/:id/tasks',
      ...['position', 'updated_at', 'due_date', 'priority'].map(
        (sort) => `limit=200&sort=${sort}&${titles}`,
      ),
      `limit=200&sort=position&${wanted}`,
    ),
    ...get('/api/v1/projects', 'limit=200'),
    ...get('/api/v1/workspace/members', 'limit=200'),
    ...get('/api/v1/projects/:id/tags', 'limit=200'),
    ...get('/api/v1/events', 'limit=200'),
    ...get(
      '/api/v1/changes',
      'limit=500',
      'limit=500&types=comment',
      `limit=500&project_id=${project}`,
    ),
    ...get('/api/v1/webhooks/:id/deliveries', 'limit=200', 'limit=200&status=pending'),
    ...get('/internal/search', titles, manyWords, `${titles}&${wanted.split('&')[0]}`),
    ...get('/internal/projects/:id/tasks', ''),
    ...get('/internal/open-tasks', ''),
    ...get('/internal/projects/:id/matches', titles, manyWords, 'q=absent'),
    ...get('/internal/changes', 'limit=500'),
    ...['time-entries', 'burn-up', 'flow', 'throughput', 'cycle-time', 'estimates'].flatMap(
      (name) => get(`/internal/reports/${name}`, `project_id=${project}`),
    ),
    ...[
      '/api/v1/projects/:id',
      '/api/v1/webhooks',
      '/api/v1/webhooks/:id',
      '/api/v1/me',
      '/api/v1/tasks/:id',
      '/api/v1/tasks/:id/comments',
      '/api/v1/tasks/:id/time-entries',
      '/api/v1/tasks/:id/attachments',
      '/internal/tasks/:id/activity',
      '/internal/boot',
      '/internal/session',
      '/internal/sessions',
      '/internal/projects/:id/people',
      '/internal/projects/:id/views',
      '/internal/views',
      '/internal/templates',
      '/internal/tasks/:id/watch',
      '/internal/notification-settings',
      '/internal/push',
      '/internal/timer',
      '/internal/workspace',
      '/internal/exports',
      '/internal/imports',
    ].flatMap((endpoint) => get(endpoint, '')),
    ...get('/api/v1/comments', 'limit=200', `limit=200&sort=created_at&project_id=${project}`),
    ...get('/api/v1/time-entries', 'limit=200', `limit=200&sort=spent_on&project_id=${project}`),
    ...get('/api/v1/reports/time', 'group_by=user,tag,day', 'group_by=task'),
    ...get('/internal/audit', 'limit=200'),
    ...get('/internal/workspace/usage', ''),
    ...get('/internal/near', 'short_id=ENG-1000'),
    ...get('/internal/trash', 'limit=200'),
    ...get('/internal/trash/comments', 'limit=200'),
    ...get('/internal/notifications', 'limit=200'),
    // Loads the library for OAuth.
    { endpoint: 'GET /oauth/authorize', url: '/oauth/authorize', status: 400 },
    { endpoint: 'GET /internal/members/:id/work', url: `/internal/members/${people.member}/work` },

    send('POST /api/v1/tasks/bulk', '', {
      operations: tasks.slice(0, 100).map((id) => ({ op: 'update', id, data: { title: 'New' } })),
    }),
    send('POST /api/v1/tasks/bulk', '', {
      operations: tasks.slice(0, 100).map((_, at) => ({
        op: 'upsert',
        data: { external_source: 'test', external_id: `${at}`, project_id: project, title: 'New' },
      })),
    }),
    send('POST /api/v1/comments/bulk', '', {
      operations: tasks.slice(0, 100).map((task_id) => ({
        op: 'create',
        task_id,
        data: { body: 'words '.repeat(1_500) },
      })),
    }),
    send('POST /api/v1/time-entries/bulk', '', {
      operations: tasks.slice(0, 100).map((task_id) => ({
        op: 'create',
        task_id,
        data: { duration_seconds: 60, note: 'words '.repeat(300) },
      })),
    }),
    send('PATCH /api/v1/tasks/:id', linked[0] ?? '', { blocked_by_ids: linked.slice(-50) }, 422),
    send('PATCH /api/v1/tasks/:id', linked.at(-1) ?? '', { blocked_by_ids: [] }),
    send('DELETE /api/v1/tasks/:id', linked[100] ?? '', {}, 204),
    send('POST /api/v1/tasks/:id/restore', linked[100] ?? ''),
    send('PATCH /api/v1/tasks/:id', trees.deleted, { parent_id: trees.free }),
    send('PATCH /api/v1/tasks/:id', trees.tooLarge, { parent_id: trees.free }),
    send('PATCH /api/v1/tasks/:id', trees.tooLarge, { project_id: project }, 409),
    send('PATCH /api/v1/tasks/:id', trees.moved, { project_id: project }),
    send('POST /api/v1/tasks/:id/complete', trees.tooLarge),
    send('DELETE /api/v1/tasks/:id', trees.tooLarge, {}, 409),
    send('DELETE /api/v1/tasks/:id', trees.deleted, {}, 204),
    {
      endpoint: 'GET /internal/tasks/:id/trash',
      url: `/internal/tasks/${trees.deleted}/trash`,
    },
    send('POST /api/v1/tasks/:id/restore', trees.deleted),
    send('POST /internal/tasks/:id/copy', trees.copied, {}, 201),
    send('POST /internal/tasks/:id/copy', trees.tooLarge, {}, 409),
    send('POST /internal/templates', '', { task_id: trees.copied, name: 'Large' }, 409),
    send('PATCH /api/v1/webhooks/:id', webhook, { events: ['*'] }),
    send('POST /api/v1/webhooks/:id/replay', webhook, REPLAYED_RANGE, 202),
    send('PATCH /api/v1/webhooks/:id', webhook, { events: ['comment.created'] }),
    send('PATCH /internal/projects/:id', project, { prefix: 'NEW' }),
    send('POST /internal/members/:id/hand-over', people.member, { to: people.admin }),
    send('POST /internal/projects/:id/archive', project),
    send('POST /internal/projects/:id/unarchive', project),
    send('POST /api/v1/tasks/bulk', '', {
      operations: bulkRoots.map((id) => ({ op: 'delete', id })),
    }),
    // Each of the deletions brings a tree back.
    send('POST /api/v1/operations/undo', '', { since: '2020-01-01T00:00:00Z' }),
    ...get('/api/v1/operations', 'limit=200'),
    ...get('/api/v1/tasks/:id/operations', 'limit=200'),
    send('POST /api/v1/tags/bulk', '', {
      operations: tasks.slice(0, 100).map((_, at) => ({
        op: 'create',
        project_id: project,
        data: { name: `In bulk ${at}` },
      })),
    }),
    send('POST /internal/tags/:id/merge', tag, { into_id: otherTag }),
    send('DELETE /api/v1/tags/:id', otherTag, {}, 204),
    send('DELETE /internal/members/:id', people.guest, {}, 204),
    send('PATCH /api/v1/webhooks/:id', webhook, { is_active: false }),
    send('DELETE /api/v1/webhooks/:id', webhook, {}, 204),
    send('POST /internal/exports', '', {}, 201),
  ]
}
