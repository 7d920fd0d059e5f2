import { type CheckGroup, expectEqual, expectTrue } from '../check.ts'
import {
  expectError,
  expectFields,
  expectStatus,
  type ReplyBody,
  type ServerReply,
  type ServerSubject,
} from './client.ts'
import { fieldsOf } from './endpoints.ts'

/** The address of a webhook to which nothing is ever sent: no host has it (RFC 6761 §6.4). */
const NO_HOOK = 'https://conformance.invalid/hook'

/** A name that no tag of the project has. */
const newTagName = () => `conformance ${crypto.randomUUID().slice(0, 8)}`

/** Fails unless the record at this path is the same after all requests, each of which is an error. */
async function expectUnchanged(
  { ask }: ServerSubject,
  path: string,
  attempts: () => Promise<void>,
): Promise<void> {
  const before = await ask(`GET ${path}`)
  expectStatus(before, 200)
  await attempts()
  const after = await ask(`GET ${path}`)
  expectEqual(after.body, before.body, 'after refused requests still', after.exchange)
}

/** Deletes a record, and fails unless it is then gone. */
async function expectDeletion({ ask }: ServerSubject, path: string): Promise<void> {
  const reply = await ask(`DELETE ${path}`)
  expectStatus(reply, 204)
  expectEqual(reply.text, '', 'body', reply.exchange)
  expectError(await ask(`DELETE ${path}`), 404, 'not_found')
}

/** Finds a record in the first page of a list of this path, and fails if it differs from the expected. */
async function expectListed({ ask }: ServerSubject, path: string, expected: ReplyBody) {
  const reply = await ask(`GET ${path}?sort=-created_at`)
  expectStatus(reply, 200)
  const record = reply.body.data.find(({ id }) => id === expected.id)
  expectEqual(record, expected, 'in the list', reply.exchange)
}

/** Fails unless a reply has created a record at this address. */
function expectCreated(reply: ServerReply, path: string): ReplyBody {
  expectStatus(reply, 201)
  const location = reply.headers.get('location') ?? ''
  const address = `/api/v1${path}/${reply.body.id}`
  expectTrue(location.endsWith(address), `Location ${address}`, location, reply.exchange)
  return reply.body
}

/** What the endpoints do with records, by resource. */
export const RECORD_CHECKS: readonly CheckGroup<ServerSubject>[] = [
  {
    title: 'Projects and members',
    checks: [
      {
        name: 'shows a project alike in the list and alone, with all fields',
        advice: 'Make the JSON of a record in one place.',
        async run({ ask, project }) {
          const one = await ask(`GET /projects/${project}`)
          expectStatus(one, 200)
          expectFields(one.body, fieldsOf('project'))
          const list = await ask('GET /projects?limit=200')
          const listed = list.body.data.find(({ id }) => id === project)
          if (listed || !list.body.has_more) expectEqual(listed, one.body, 'in the list')
          return `${one.body.name}`
        },
      },
      {
        name: 'lists the members of the workspace',
        advice: 'List at least the person of the key, with all fields.',
        async run({ ask }) {
          const reply = await ask('GET /workspace/members')
          expectStatus(reply, 200)
          const { data } = reply.body
          expectTrue(data.length > 0, 'a member', data, reply.exchange)
          for (const member of data) expectFields(member, fieldsOf('member'))
          return `${data.length} members`
        },
      },
    ],
  },
  {
    title: 'Tasks',
    checks: [
      {
        name: 'creates a task, and shows it alike in all replies, with all fields',
        advice: 'Reply 201 with the record and its Location; send an ETag with single records.',
        async run(server) {
          const { ask, project } = server
          const description = 'Exactly *as sent*: \t  Café ☕ 日本 👩‍🚀 e\u0301 <b>\n'
          const body = { project_id: project, title: '  A task  ', description }
          const made = await ask('POST /tasks', body)
          const task = expectCreated(made, '/tasks')
          expectFields(task, fieldsOf('task'))
          expectEqual(task.title, 'A task', 'the title trimmed:', made.exchange)
          expectEqual(task.description, description, 'the description', made.exchange)
          expectEqual(task.project_id, project, 'project_id', made.exchange)
          expectEqual(task.version, 1, 'version', made.exchange)
          const read = await ask(`GET /tasks/${task.id}`)
          expectEqual(read.body, task, 'the task', read.exchange)
          const etag = read.headers.get('etag') ?? ''
          expectTrue(/^"1-.+"$/.test(etag), 'ETag "1-…"', etag, read.exchange)
          await expectListed(server, `/projects/${project}/tasks`, task)
          return `${task.short_id}`
        },
      },
      {
        name: 'takes the short id in any case, in every path below /tasks/:id',
        advice: 'Resolve <PREFIX>-<number> wherever a path has the id of a task.',
        async run({ ask, createTask }) {
          const task = await createTask()
          const short = String(task.short_id)
          expectTrue(/^[A-Z][A-Z0-9]{1,9}-[1-9]\d*$/.test(short), '<PREFIX>-<number>', short)
          expectEqual(short.split('-')[1], String(task.number), 'the number of the short id')
          for (const id of [short, short.toLowerCase()]) {
            expectEqual((await ask(`GET /tasks/${id}`)).body.id, task.id, 'id')
          }
          const comment = await ask(`POST /tasks/${short}/comments`, { body: 'By short id' })
          expectEqual(comment.body.task_id, task.id, 'task_id', comment.exchange)
          for (const list of ['comments', 'time-entries']) {
            expectStatus(await ask(`GET /tasks/${short}/${list}`), 200)
          }
          expectStatus(await ask(`PATCH /tasks/${short}`, { title: 'By short id' }), 200)
          expectStatus(await ask(`POST /tasks/${short}/complete`), 200)
          expectStatus(await ask(`DELETE /tasks/${short}`), 204)
          expectError(await ask(`GET /tasks/${short}`), 404, 'not_found')
          return short
        },
      },
      {
        name: 'numbers tasks upwards, and no number for a refused one',
        advice: 'Take the number in the transaction that inserts the task.',
        async run({ ask, createTask, project }) {
          const first = await createTask()
          expectStatus(await ask('POST /tasks', { project_id: project, title: '' }), 422)
          const second = await createTask()
          // Others may create tasks in between.
          expectTrue(Number(second.number) > Number(first.number), 'a higher number', second.number)
          return `${first.short_id}, ${second.short_id}`
        },
      },
      {
        name: 'changes only the fields that a PATCH names, and nothing if their values are equal',
        advice: 'Apply RFC 7396; count version only if something changes.',
        async run({ ask, createTask }) {
          const task = await createTask()
          const changed = await ask(`PATCH /tasks/${task.id}`, {
            description: 'New',
            priority: 'high',
          })
          expectStatus(changed, 200)
          const { updated_at } = changed.body
          const wanted = { ...task, description: 'New', priority: 'high', version: 2, updated_at }
          expectEqual(changed.body, wanted, 'only these fields changed:', changed.exchange)
          expectTrue(String(updated_at) > String(task.updated_at), 'a later updated_at', updated_at)
          for (const same of [{}, { description: 'New' }]) {
            const reply = await ask(`PATCH /tasks/${task.id}`, same)
            expectEqual(reply.body, changed.body, 'no change:', reply.exchange)
          }
          const cleared = await ask(`PATCH /tasks/${task.id}`, { description: null })
          expectEqual(cleared.body.description, null, 'description', cleared.exchange)
          return 'version 3'
        },
      },
      {
        name: 'refuses invalid fields of a task with the code of each, and changes nothing',
        advice: 'Check all fields before you write any, and coerce nothing.',
        async run(server) {
          const { ask, createTask, project } = server
          const none = await ask('POST /tasks', {})
          const required = { project_id: 'required', title: 'required' }
          expectError(none, 422, 'validation_failed', required)
          const reference = { project_id: 'prj_01zzzzzzzzzzzzzzzzzzzzzzzz', title: 'Never' }
          const foreign = await ask('POST /tasks', reference)
          expectError(foreign, 422, 'validation_failed', { project_id: 'invalid_reference' })
          const task = await createTask()
          await expectUnchanged(server, `/tasks/${task.id}`, async () => {
            const faults: [body: object, field: string, code: string][] = [
              [{ title: '' }, 'title', 'too_short'],
              [{ title: 'x'.repeat(501) }, 'title', 'too_long'],
              [{ title: 1 }, 'title', 'invalid_type'],
              [{ title: null }, 'title', 'not_nullable'],
              [{ title: 'a\u0000b' }, 'title', 'invalid_characters'],
              [{ title: 'Changed', priority: 'highest' }, 'priority', 'invalid_value'],
              [{ title: 'Changed', due_date: '2027-02-30' }, 'due_date', 'invalid_format'],
              [{ title: 'Changed', nothing: 1 }, 'nothing', 'unknown_field'],
              [{ title: 'Changed', number: 1 }, 'number', 'read_only_field'],
            ]
            for (const [body, field, code] of faults) {
              const reply = await ask(`PATCH /tasks/${task.id}`, body)
              expectError(reply, 422, 'validation_failed', { [field]: code })
            }
          })
          const list = await ask(`GET /projects/${project}/tasks?sort=-created_at`)
          expectEqual(list.body.data[0]?.id, task.id, 'the newest task', list.exchange)
          return '11 times 422'
        },
      },
      {
        name: 'completes a task once',
        advice: 'Make a second complete a no-op with the same completed_at.',
        async run({ ask, createTask }) {
          const { id } = await createTask()
          const done = await ask(`POST /tasks/${id}/complete`)
          expectStatus(done, 200)
          expectEqual(done.body.status_category, 'completed', 'status_category', done.exchange)
          expectTrue(
            typeof done.body.completed_at === 'string',
            'completed_at',
            done.body.completed_at,
          )
          const again = await ask(`POST /tasks/${id}/complete`, {})
          expectEqual(again.body, done.body, 'the same task', again.exchange)
          return `${done.body.status}`
        },
      },
      {
        name: 'deletes a task with all that belongs to it',
        advice:
          'Answer 404 to a deleted task, its comments and time entries, and leave it out of lists.',
        async run(server) {
          const { ask, createTask, create, project } = server
          const { id } = await createTask()
          const comment = await create(`/tasks/${id}/comments`, { body: 'Goes along' })
          const entry = await create(`/tasks/${id}/time-entries`, { duration_seconds: 60 })
          await expectDeletion(server, `/tasks/${id}`)
          const gone = [
            `GET /tasks/${id}`,
            `GET /tasks/${id}/comments`,
            `DELETE /comments/${comment.id}`,
          ]
          for (const line of [...gone, `DELETE /time-entries/${entry.id}`]) {
            expectError(await ask(line), 404, 'not_found')
          }
          const { body } = await ask(`GET /projects/${project}/tasks?sort=-created_at&limit=5`)
          expectTrue(!body.data.some((task) => task.id === id), 'no deleted task in the list', id)
          return '204, then 404'
        },
      },
    ],
  },
  {
    title: 'Comments, time entries, tags and webhooks',
    checks: [
      {
        name: 'adds, lists and deletes comments, and refuses invalid ones',
        advice: 'Store the text exactly as sent; a blank one is too short.',
        async run(server) {
          const { ask, createTask } = server
          const path = `/tasks/${(await createTask()).id}/comments`
          const text = '  *Markdown*, exactly as sent <script>\n'
          const made = await ask(`POST ${path}`, { body: text })
          const comment = expectCreated(made, '/comments')
          expectFields(comment, fieldsOf('comment'))
          expectEqual(comment.body, text, 'the body', made.exchange)
          const faults = [
            [{}, 'required'],
            [{ body: ' \n' }, 'too_short'],
            [{ body: 1 }, 'invalid_type'],
          ] as const
          for (const [body, code] of faults) {
            expectError(await ask(`POST ${path}`, body), 422, 'validation_failed', { body: code })
          }
          const list = await ask(`GET ${path}`)
          expectEqual(list.body.data, [comment], 'only this comment:', list.exchange)
          await expectDeletion(server, `/comments/${comment.id}`)
          expectEqual((await ask(`GET ${path}`)).body.data, [], 'comments')
          return '201, 204'
        },
      },
      {
        name: 'logs, changes, lists and deletes time, and refuses invalid time',
        advice: 'Take exactly one of: a duration, a start with an end or duration, or a timer.',
        async run(server) {
          const { ask, createTask } = server
          const { id } = await createTask()
          const path = `/tasks/${id}/time-entries`
          const made = await ask(`POST ${path}`, { duration_seconds: 90, note: 'Kit' })
          const entry = expectCreated(made, '/time-entries')
          expectFields(entry, fieldsOf('timeEntry'))
          expectEqual(entry.duration_seconds, 90, 'duration_seconds', made.exchange)
          const faults: [body: object, field: string, code: string][] = [
            [{}, 'duration_seconds', 'required'],
            [{ duration_seconds: 0 }, 'duration_seconds', 'too_small'],
            [{ duration_seconds: 1.5 }, 'duration_seconds', 'invalid_type'],
            [{ duration_seconds: 1, note: 1 }, 'note', 'invalid_type'],
          ]
          for (const [body, field, code] of faults) {
            expectError(await ask(`POST ${path}`, body), 422, 'validation_failed', {
              [field]: code,
            })
          }
          const invalid = await ask(`PATCH /time-entries/${entry.id}`, {
            note: 'No',
            duration_seconds: 0,
          })
          expectError(invalid, 422, 'validation_failed', { duration_seconds: 'too_small' })
          const changed = await ask(`PATCH /time-entries/${entry.id}`, { duration_seconds: 120 })
          expectStatus(changed, 200)
          const { updated_at } = changed.body
          const wanted = { ...entry, duration_seconds: 120, updated_at }
          expectEqual(changed.body, wanted, 'only the duration changed:', changed.exchange)
          const list = await ask(`GET ${path}`)
          expectEqual(list.body.data, [changed.body], 'only this entry:', list.exchange)
          const task = await ask(`GET /tasks/${id}`)
          expectEqual(task.body.time_spent_seconds, 120, 'time_spent_seconds', task.exchange)
          await expectDeletion(server, `/time-entries/${entry.id}`)
          return '201, 200, 204'
        },
      },
      {
        name: 'creates, lists and deletes tags, and refuses invalid and taken names',
        advice: 'Compare names without case after NFC, and name the tag in resource_id.',
        async run(server) {
          const { ask, project } = server
          const path = `/projects/${project}/tags`
          const name = newTagName()
          const made = await ask(`POST ${path}`, { name, color: '#A1B2C3' })
          const tag = expectCreated(made, '/tags')
          expectFields(tag, fieldsOf('tag'))
          expectEqual(tag.color, '#a1b2c3', 'color', made.exchange)
          const taken = await ask(`POST ${path}`, { name: name.toUpperCase() })
          expectError(taken, 409, 'tag_exists')
          const ids = taken.body.error.details.map(({ resource_id }) => resource_id)
          expectEqual(ids, [tag.id], 'resource_id', taken.exchange)
          const faults = [
            [{}, 'required'],
            [{ name: ' ' }, 'too_short'],
            [{ name: 'x'.repeat(51) }, 'too_long'],
          ] as const
          for (const [body, code] of faults) {
            expectError(await ask(`POST ${path}`, body), 422, 'validation_failed', { name: code })
          }
          await expectListed(server, path, tag)
          await expectDeletion(server, `/tags/${tag.id}`)
          return '201, 204'
        },
      },
      {
        name: 'creates, changes, lists and deletes webhooks, and shows the secret once',
        advice:
          'Return the secret only when it is created, and refuse kinds of event that do not exist.',
        async run(server) {
          const { ask } = server
          const events = ['member.removed']
          const made = await ask('POST /webhooks', { url: NO_HOOK, events, is_active: false })
          const { secret, ...webhook } = expectCreated(made, '/webhooks')
          expectTrue(String(secret).length >= 8, 'a secret', typeof secret)
          expectFields(webhook, fieldsOf('webhook'))
          const faults: [body: object, field: string, code: string][] = [
            [{ events }, 'url', 'required'],
            [{ url: NO_HOOK }, 'events', 'required'],
            [{ url: 'hook', events }, 'url', 'invalid_format'],
            [{ url: NO_HOOK, events: [] }, 'events', 'too_few'],
            [{ url: NO_HOOK, events, secret: 'short' }, 'secret', 'too_short'],
          ]
          for (const [body, field, code] of faults) {
            expectError(await ask('POST /webhooks', body), 422, 'validation_failed', {
              [field]: code,
            })
          }
          const unknown = await ask(`PATCH /webhooks/${webhook.id}`, { events: ['task.invented'] })
          expectError(unknown, 422, 'validation_failed', { 'events[0]': 'invalid_value' })
          await expectListed(server, '/webhooks', webhook)
          const changed = await ask(`PATCH /webhooks/${webhook.id}`, { description: 'Kit' })
          const { updated_at } = changed.body
          const wanted = { ...webhook, description: 'Kit', updated_at }
          expectEqual(changed.body, wanted, 'only the description changed:', changed.exchange)
          await expectDeletion(server, `/webhooks/${webhook.id}`)
          return '201, 200, 204'
        },
      },
    ],
  },
]
