import { type CheckGroup, check, expectEqual, expectMatch, expectTrue } from '../check.ts'
import type { ReplyBody, ServerReply, ServerSubject } from './client.ts'
import { fieldsOf } from './endpoints.ts'

/** Nothing is ever sent there: no host has this name (RFC 6761 §6.4). */
export const NO_HOOK = 'https://conformance.invalid/hook'

/** A name that no tag of the project has. */
export const newTagName = (): string => `conformance ${crypto.randomUUID().slice(0, 8)}`

/** Fails unless a record has all fields; others may be added. */
export function expectFields(record: object, type: Parameters<typeof fieldsOf>[0]): void {
  const missing = fieldsOf(type).filter((field) => !Object.hasOwn(record, field))
  expectEqual(missing, [], 'missing fields')
}

/** Fails unless a reply to a creation has all fields of the record and its address; returns the record. */
function expectCreated(
  { body, headers }: ServerReply,
  type: Parameters<typeof fieldsOf>[0],
  collection: string,
): ReplyBody {
  expectFields(body, type)
  const address = new RegExp(`/api/v1${collection}/${body.id}$`)
  expectMatch(headers.get('location'), address, 'Location')
  return body
}

/** Sends bodies each of which has one fault, such as `title=required`. */
async function expectFaults(
  { ask }: ServerSubject,
  line: string,
  faults: readonly [fault: string, body: object][],
): Promise<void> {
  for (const [fault, body] of faults) await ask(line, `422 validation_failed ${fault}`, body)
}

/** Fails unless a list shows the record among its newest ones. */
async function expectListed({ ask }: ServerSubject, path: string, record: ReplyBody) {
  const { body } = await ask(`GET ${path}?sort=-created_at`, '200')
  expectEqual(
    body.data.find(({ id }) => id === record.id),
    record,
    'in the list',
  )
}

/** Changes fields of a record, and fails if another field but `updated_at` has changed; returns it. */
async function expectChange(
  { ask }: ServerSubject,
  path: string,
  before: ReplyBody,
  change: object,
) {
  const { body } = await ask(`PATCH ${path}`, '200', change)
  expectEqual(body, { ...before, ...change, updated_at: body.updated_at }, 'only a change:')
  expectTrue(String(body.updated_at) > String(before.updated_at), 'a later time', body.updated_at)
  return body
}

/** Deletes a record, and fails unless it is then gone. */
async function expectDeletion({ ask }: ServerSubject, path: string): Promise<void> {
  expectEqual((await ask(`DELETE ${path}`, '204')).text, '', 'body')
  await ask(`DELETE ${path}`, '404 not_found')
}

/** What the endpoints do with records, by resource. */
export const RECORD_CHECKS: readonly CheckGroup<ServerSubject>[] = [
  {
    title: 'Projects and members',
    checks: [
      check(
        'shows a project alike in the list and alone, with all fields',
        'Make the JSON of a record in one place.',
        async ({ ask, project }) => {
          const { body } = await ask(`GET /projects/${project}`, '200')
          expectFields(body, 'project')
          const { data, has_more } = (await ask('GET /projects?limit=200', '200')).body
          const listed = data.find(({ id }) => id === project)
          if (listed || !has_more) expectEqual(listed, body, 'in the list')
        },
      ),
      check(
        'lists the members of the workspace with all fields',
        'List at least the person of the key.',
        async ({ ask }) => {
          const { data } = (await ask('GET /workspace/members', '200')).body
          expectTrue(data.length > 0, 'a member', data)
          for (const member of data) expectFields(member, 'member')
        },
      ),
    ],
  },
  {
    title: 'Tasks',
    checks: [
      check(
        'creates a task, and shows it alike in all replies, with all fields',
        'Reply 201 with the record and its Location; send an ETag with single records.',
        async (server) => {
          const { ask, project } = server
          const description = 'Exactly *as sent*: \t  Café ☕ 日本 👩‍🚀 e\u0301 <b>\n'
          const body = { project_id: project, title: '  A task  ', description }
          const task = expectCreated(await ask('POST /tasks', '201', body), 'task', '/tasks')
          const shown = { ...task, ...body, title: 'A task', version: 1 }
          expectEqual(task, shown, 'the title trimmed, the description as sent:')
          const read = await ask(`GET /tasks/${task.id}`, '200')
          expectEqual(read.body, task, 'the task')
          expectMatch(read.headers.get('etag'), /^"1-.+"$/, 'ETag')
          await expectListed(server, `/projects/${project}/tasks`, task)
        },
      ),
      check(
        'takes the short id in any case, in every path below /tasks/:id',
        'Resolve <PREFIX>-<number> wherever a path has the id of a task.',
        async ({ ask, createTask }) => {
          const { id, short_id, number } = await createTask()
          const path = `/tasks/${short_id}`
          expectMatch(short_id, /^[A-Z][A-Z0-9]{1,9}-[1-9]\d*$/, 'a short id')
          expectEqual(path.split('-')[1], `${number}`, 'the number of the short id')
          expectEqual((await ask(`GET ${path}`, '200')).body.id, id, 'id')
          expectEqual((await ask(`GET ${path.toLowerCase()}`, '200')).body.id, id, 'id')
          const comment = await ask(`POST ${path}/comments`, '201', { body: 'By short id' })
          expectEqual(comment.body.task_id, id, 'task_id')
          await ask(`POST ${path}/time-entries`, '201', { duration_seconds: 1 })
          for (const list of ['comments', 'time-entries']) {
            expectEqual((await ask(`GET ${path}/${list}`, '200')).body.data.length, 1, 'records')
          }
          await ask(`PATCH ${path}`, '200', { title: 'By short id' })
          await ask(`POST ${path}/complete`, '200')
          await ask(`DELETE ${path}`, '204')
          await ask(`GET ${path}`, '404 not_found')
        },
      ),
      check(
        'changes only the fields that a PATCH names, and nothing if their values are equal',
        'Apply RFC 7396; count version only if something changes.',
        async (server) => {
          const task = await server.createTask()
          const path = `/tasks/${task.id}`
          const change = { description: 'New', priority: 'high', version: 2 }
          const { version, ...fields } = change
          const { body } = await server.ask(`PATCH ${path}`, '200', fields)
          expectEqual(body, { ...task, ...change, updated_at: body.updated_at }, 'only a change:')
          for (const same of [{}, { description: 'New' }]) {
            expectEqual((await server.ask(`PATCH ${path}`, '200', same)).body, body, 'no change:')
          }
          const cleared = await server.ask(`PATCH ${path}`, '200', { description: null })
          const { description } = cleared.body
          expectEqual([description, cleared.body.version], [null, version + 1], 'cleared:')
        },
      ),
      check(
        'refuses invalid fields of a task with the code of each, and changes nothing',
        'Check all fields before you write any, and coerce nothing.',
        async (server) => {
          const { ask, createTask, project } = server
          const unknown = { project_id: 'prj_01zzzzzzzzzzzzzzzzzzzzzzzz', title: 'Never' }
          await expectFaults(server, 'POST /tasks', [
            ['project_id=required title=required', {}],
            ['project_id=invalid_reference', unknown],
          ])
          const task = await createTask()
          await expectFaults(server, `PATCH /tasks/${task.id}`, [
            ['title=too_short', { title: '' }],
            ['title=too_long', { title: 'x'.repeat(501) }],
            ['title=invalid_type', { title: 1 }],
            ['title=not_nullable', { title: null }],
            ['title=invalid_characters', { title: 'a\u0000b' }],
            ['priority=invalid_value', { title: 'Changed', priority: 'highest' }],
            ['due_date=invalid_format', { title: 'Changed', due_date: '2027-02-30' }],
            ['nothing=unknown_field', { title: 'Changed', nothing: 1 }],
            ['number=read_only_field', { title: 'Changed', number: 1 }],
          ])
          expectEqual((await ask(`GET /tasks/${task.id}`, '200')).body, task, 'as before:')
          const list = await ask(`GET /projects/${project}/tasks?sort=-created_at`, '200')
          expectEqual(list.body.data[0]?.id, task.id, 'the newest task')
        },
      ),
      check(
        'completes a task once',
        'Make a second complete a no-op with the same completed_at.',
        async ({ ask, createTask }) => {
          const { id } = await createTask()
          const { body } = await ask(`POST /tasks/${id}/complete`, '200')
          const seen = [body.status_category, typeof body.completed_at]
          expectEqual(seen, ['completed', 'string'], 'status_category, completed_at')
          const again = await ask(`POST /tasks/${id}/complete`, '200', {})
          expectEqual(again.body, body, 'the same task')
        },
      ),
      check(
        'deletes a task with all that belongs to it',
        'Answer 404 to a deleted task, its comments and time entries; leave it out of lists.',
        async (server) => {
          const { ask, createTask, create, project } = server
          const { id } = await createTask()
          const comment = await create(`/tasks/${id}/comments`, { body: 'Goes along' })
          const entry = await create(`/tasks/${id}/time-entries`, { duration_seconds: 60 })
          await expectDeletion(server, `/tasks/${id}`)
          for (const line of [`GET /tasks/${id}`, `GET /tasks/${id}/comments`]) {
            await ask(line, '404 not_found')
          }
          await ask(`DELETE /comments/${comment.id}`, '404 not_found')
          await ask(`DELETE /time-entries/${entry.id}`, '404 not_found')
          const list = await ask(`GET /projects/${project}/tasks?sort=-created_at`, '200')
          expectTrue(!list.body.data.some((task) => task.id === id), 'not in the list', id)
        },
      ),
    ],
  },
  {
    title: 'Comments, time entries, tags and webhooks',
    checks: [
      check(
        'adds, lists and deletes comments, and refuses invalid ones',
        'Store the text exactly as sent; a blank one is too short.',
        async (server) => {
          const { ask, createTask } = server
          const path = `/tasks/${(await createTask()).id}/comments`
          const body = '  *Markdown*, exactly as sent <script>\n'
          const made = await ask(`POST ${path}`, '201', { body })
          const comment = expectCreated(made, 'comment', '/comments')
          expectEqual(comment.body, body, 'the body')
          await expectFaults(server, `POST ${path}`, [
            ['body=required', {}],
            ['body=too_short', { body: ' \n' }],
            ['body=invalid_type', { body: 1 }],
          ])
          expectEqual((await ask(`GET ${path}`, '200')).body.data, [comment], 'only this:')
          await expectDeletion(server, `/comments/${comment.id}`)
          expectEqual((await ask(`GET ${path}`, '200')).body.data, [], 'comments')
        },
      ),
      check(
        'logs, changes, lists and deletes time, and refuses invalid time',
        'Take exactly one of: a duration, a start with an end or duration, or a timer.',
        async (server) => {
          const { ask, createTask } = server
          const { id } = await createTask()
          const path = `/tasks/${id}/time-entries`
          const made = await ask(`POST ${path}`, '201', { duration_seconds: 90, note: 'Kit' })
          const entry = expectCreated(made, 'timeEntry', '/time-entries')
          expectEqual([entry.duration_seconds, entry.note], [90, 'Kit'], 'duration and note')
          await expectFaults(server, `POST ${path}`, [
            ['duration_seconds=required', {}],
            ['duration_seconds=too_small', { duration_seconds: 0 }],
            ['duration_seconds=invalid_type', { duration_seconds: 1.5 }],
            ['note=invalid_type', { duration_seconds: 1, note: 1 }],
          ])
          await expectFaults(server, `PATCH /time-entries/${entry.id}`, [
            ['duration_seconds=too_small', { note: 'Never', duration_seconds: 0 }],
          ])
          const change = { duration_seconds: 120 }
          const changed = await expectChange(server, `/time-entries/${entry.id}`, entry, change)
          expectEqual((await ask(`GET ${path}`, '200')).body.data, [changed], 'only this:')
          const task = await ask(`GET /tasks/${id}`, '200')
          expectEqual(task.body.time_spent_seconds, 120, 'time_spent_seconds')
          await expectDeletion(server, `/time-entries/${entry.id}`)
        },
      ),
      check(
        'creates, lists and deletes tags, and refuses invalid and taken names',
        'Compare names without case after NFC, and name the tag in resource_id.',
        async (server) => {
          const { ask, project } = server
          const path = `/projects/${project}/tags`
          const name = newTagName()
          const made = await ask(`POST ${path}`, '201', { name, color: '#A1B2C3' })
          const tag = expectCreated(made, 'tag', '/tags')
          expectEqual([tag.name, tag.color], [name, '#a1b2c3'], 'name and color')
          const taken = await ask(`POST ${path}`, '409 tag_exists', { name: name.toUpperCase() })
          const ids = taken.body.error.details.map(({ resource_id }) => resource_id)
          expectEqual(ids, [tag.id], 'resource_id')
          await expectFaults(server, `POST ${path}`, [
            ['name=required', {}],
            ['name=too_short', { name: ' ' }],
            ['name=too_long', { name: 'x'.repeat(51) }],
          ])
          await expectListed(server, path, tag)
          await expectDeletion(server, `/tags/${tag.id}`)
        },
      ),
      check(
        'creates, changes, lists and deletes webhooks, and shows the secret once',
        'Return the secret only on creation, and refuse kinds of event that do not exist.',
        async (server) => {
          const { ask } = server
          const events = ['member.removed']
          const body = { url: NO_HOOK, events, is_active: false }
          const made = await ask('POST /webhooks', '201', body)
          const { secret, ...webhook } = expectCreated(made, 'webhook', '/webhooks')
          expectEqual(typeof secret, 'string', 'the secret: a')
          await expectFaults(server, 'POST /webhooks', [
            ['url=required', { events }],
            ['events=required', { url: NO_HOOK }],
            ['url=invalid_format', { url: 'hook', events }],
            ['events=too_few', { url: NO_HOOK, events: [] }],
            ['secret=too_short', { url: NO_HOOK, events, secret: 'short' }],
          ])
          const path = `/webhooks/${webhook.id}`
          await expectFaults(server, `PATCH ${path}`, [
            ['events[0]=invalid_value', { events: ['task.invented'] }],
          ])
          await expectListed(server, '/webhooks', webhook)
          await expectChange(server, path, webhook, { description: 'Kit' })
          await expectDeletion(server, path)
        },
      ),
    ],
  },
]
