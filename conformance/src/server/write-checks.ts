import { type CheckGroup, expectEqual, expectTrue } from '../check.ts'
import { expectError, expectStatus, type ServerReply, type ServerSubject } from './client.ts'

/** What makes it safe to repeat and to race writes. */
export const WRITE_CHECKS: readonly CheckGroup<ServerSubject>[] = [
  {
    title: 'Idempotency keys',
    checks: [
      {
        name: 'creates one record for two requests with one key, and repeats the reply',
        advice: 'Store the reply under the key in the transaction of the write.',
        async run({ ask, project }) {
          const headers = newKey()
          const body = { project_id: project, title: 'Only one' }
          const first = await ask('POST /tasks', body, { headers })
          expectStatus(first, 201)
          const reordered = { title: 'Only one', project_id: project }
          const second = await ask('POST /tasks', reordered, { headers })
          expectReplayed(second, first)
          for (const name of ['location', 'etag']) {
            expectEqual(second.headers.get(name), first.headers.get(name), name, second.exchange)
          }
          return first.body.id
        },
      },
      {
        name: 'creates one record for three requests at once with one key',
        advice: 'Reserve the key before you execute the request: the others wait, or are 409.',
        async run({ ask, createTask }) {
          const headers = newKey()
          const path = `/tasks/${(await createTask()).id}/comments`
          const send = () => ask(`POST ${path}`, { body: 'Only one' }, { headers })
          const replies = await Promise.all([send(), send(), send()])
          for (const reply of replies) {
            if (reply.status !== 201) expectError(reply, 409, 'idempotency_in_progress')
          }
          const { body, exchange } = await ask(`GET ${path}`)
          expectEqual(body.data.length, 1, 'number of comments', exchange)
          return replies.map(({ status }) => status).join(', ')
        },
      },
      {
        name: 'refuses a key that another request has used',
        advice: 'Compare method, target and body, and reply 422.',
        async run({ ask, createTask }) {
          const task = await createTask()
          const headers = newKey()
          const path = `PATCH /tasks/${task.id}`
          expectStatus(await ask(path, { title: 'First' }, { headers }), 200)
          const other = await ask(path, { title: 'Second' }, { headers })
          expectError(other, 422, 'idempotency_key_reused')
          const { body } = await ask(`GET /tasks/${task.id}`)
          expectEqual(body.title, 'First', 'the title', other.exchange)
          return '422'
        },
      },
      {
        name: 'repeats the reply of a deletion',
        advice: 'Look the key up before the record, so that a retried DELETE is 204 again.',
        async run({ ask, createTask }) {
          const { id } = await createTask()
          const headers = newKey()
          const first = await ask(`DELETE /tasks/${id}`, undefined, { headers })
          expectStatus(first, 204)
          expectReplayed(await ask(`DELETE /tasks/${id}`, undefined, { headers }), first)
          return '204, 204'
        },
      },
      {
        name: 'forgets the key of a refused request, and refuses malformed keys',
        advice: 'Store only replies with 2xx; take 1 to 255 visible ASCII characters.',
        async run({ ask, project }) {
          const headers = newKey()
          const refused = await ask('POST /tasks', { project_id: project }, { headers })
          expectError(refused, 422, 'validation_failed', { title: 'required' })
          const body = { project_id: project, title: 'After a refusal' }
          expectStatus(await ask('POST /tasks', body, { headers }), 201)
          for (const key of ['with space', 'x'.repeat(256)]) {
            const malformed = { headers: { 'idempotency-key': key } }
            expectError(await ask('POST /tasks', body, malformed), 400, 'invalid_header')
          }
          return '422, 201, 400'
        },
      },
    ],
  },
  {
    title: 'Conditional requests',
    checks: [
      {
        name: 'answers 304 to If-None-Match with the current ETag',
        advice: 'Compare weakly, and send the ETag with the 304.',
        async run({ ask, createTask }) {
          const { id } = await createTask()
          const etag = (await ask(`GET /tasks/${id}`)).headers.get('etag') ?? ''
          for (const tag of [etag, `"0-other", W/${etag}`]) {
            const reply = await ask(`GET /tasks/${id}`, undefined, {
              headers: { 'if-none-match': tag },
            })
            expectStatus(reply, 304)
            expectEqual(reply.text, '', 'body', reply.exchange)
          }
          const other = { headers: { 'if-none-match': '"0-other"' } }
          expectStatus(await ask(`GET /tasks/${id}`, undefined, other), 200)
          return '304, 200'
        },
      },
      {
        name: 'writes only if If-Match names the current version',
        advice: 'Compare the version in the transaction of the write, and reply 412.',
        async run({ ask, createTask }) {
          const { id } = await createTask()
          const { headers } = await ask(`GET /tasks/${id}`)
          const match = (tag: string | null) => ({ headers: { 'if-match': `${tag}` } })
          const current = headers.get('etag')
          const path = `/tasks/${id}`
          const changed = await ask(`PATCH ${path}`, { title: 'Second version' }, match(current))
          expectStatus(changed, 200)
          const stale = [
            await ask(`PATCH ${path}`, { title: 'Never' }, match(current)),
            await ask(`POST ${path}/complete`, {}, match('"1"')),
            await ask(`DELETE ${path}`, undefined, match(current)),
          ]
          for (const reply of stale) expectError(reply, 412, 'version_mismatch')
          const malformed = await ask(`PATCH ${path}`, { title: 'Never' }, match('version 2'))
          expectError(malformed, 400, 'invalid_header')
          const { body } = await ask(`GET ${path}`)
          expectEqual(body, changed.body, 'after refused requests still', changed.exchange)
          expectStatus(await ask(`DELETE ${path}`, undefined, match('"2"')), 204)
          return '200, 412, 204'
        },
      },
      {
        name: 'keeps both of two updates of different fields at once',
        advice: 'Change only the columns that a request names.',
        async run({ ask, createTask }) {
          const { id } = await createTask()
          const changes = [{ title: 'At once' }, { description: 'At once' }, { priority: 'low' }]
          const replies = await Promise.all(
            changes.map((change) => ask(`PATCH /tasks/${id}`, change)),
          )
          for (const reply of replies) expectStatus(reply, 200)
          const { body, exchange } = await ask(`GET /tasks/${id}`)
          const seen = [body.title, body.description, body.priority, body.version]
          expectEqual(seen, ['At once', 'At once', 'low', 4], 'all three changes', exchange)
          return 'version 4'
        },
      },
    ],
  },
  {
    title: 'Other workspaces',
    checks: [
      {
        name: 'answers to the key of another workspace as if no record existed',
        advice: 'Bind every statement to the workspace of the credential.',
        needs: '--second-key',
        async run({ ask, create, createTask, project, secondKey: key }) {
          const task = await createTask('Of the first workspace')
          const comment = await create(`/tasks/${task.id}/comments`, { body: 'Of the first' })
          const entry = await create(`/tasks/${task.id}/time-entries`, { duration_seconds: 1 })
          const name = `conformance ${crypto.randomUUID().slice(0, 8)}`
          const tag = await create(`/projects/${project}/tags`, { name })
          const lines = [
            ...[`GET /projects/${project}`, `GET /projects/${project}/tasks`],
            ...[`GET /projects/${project}/tags`, `POST /projects/${project}/tags`],
            ...[
              `GET /tasks/${task.id}`,
              `PATCH /tasks/${task.id}`,
              `POST /tasks/${task.id}/complete`,
            ],
            ...[`GET /tasks/${task.id}/comments`, `POST /tasks/${task.id}/comments`],
            ...[`GET /tasks/${task.id}/time-entries`, `POST /tasks/${task.id}/time-entries`],
            ...[`DELETE /comments/${comment.id}`, `DELETE /tags/${tag.id}`],
            ...[`PATCH /time-entries/${entry.id}`, `DELETE /time-entries/${entry.id}`],
            `DELETE /tasks/${task.id}`,
          ]
          for (const line of lines) {
            const body = /^(?:POST|PATCH) /.test(line) ? {} : undefined
            expectError(await ask(line, body, { key }), 404, 'not_found')
          }
          const foreign = await ask('POST /tasks', { project_id: project, title: 'Never' }, { key })
          expectError(foreign, 422, 'validation_failed', { project_id: 'invalid_reference' })
          const after = await ask(`GET /tasks/${task.id}`)
          expectEqual(after.body.version, task.version, 'the version', after.exchange)
          return `${lines.length} times 404`
        },
      },
      {
        name: 'lists nothing of another workspace, and does not take its cursors',
        advice: 'Filter every list by workspace, and bind cursors to it.',
        needs: '--second-key',
        async run({ ask, secondKey: key }) {
          const [mine, theirs] = [
            await ask('GET /projects?limit=200'),
            await ask('GET /projects?limit=200', undefined, { key }),
          ]
          expectStatus(theirs, 200)
          const ids = new Set(mine.body.data.map(({ id }) => id))
          const shared = theirs.body.data.filter(({ id }) => ids.has(id))
          expectEqual(shared, [], 'projects of both workspaces', theirs.exchange)
          const { body } = await ask('GET /workspace/members?limit=1')
          if (body.next_cursor === null) return 'lists differ; there was no cursor to try'
          const cursor = encodeURIComponent(body.next_cursor)
          const other = await ask(`GET /workspace/members?limit=1&cursor=${cursor}`, undefined, {
            key,
          })
          expectError(other, 400, 'invalid_cursor')
          return 'lists differ, 400'
        },
      },
    ],
  },
]

const newKey = () => ({ 'idempotency-key': crypto.randomUUID() })

/** Fails unless a reply repeats the status and bytes of an earlier one. */
function expectReplayed(reply: ServerReply, first: ServerReply): void {
  expectStatus(reply, first.status)
  expectEqual(reply.text, first.text, 'the same bytes', reply.exchange)
  const replayed = reply.headers.get('idempotency-replayed')
  expectTrue(replayed === 'true', 'Idempotency-Replayed: true', replayed, reply.exchange)
}
