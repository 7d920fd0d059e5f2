import { type CheckGroup, check, expectEqual, expectMatch } from '../check.ts'
import type { ServerReply, ServerSubject } from './client.ts'
import { bodyOf } from './endpoints.ts'
import { newTagName } from './record-checks.ts'

const newKey = () => ({ headers: { 'idempotency-key': crypto.randomUUID() } })
const ifMatch = (tag: string | null) => ({ headers: { 'if-match': `${tag}` } })

/** Fails unless a reply repeats the bytes and headers of an earlier one. */
function expectReplayed(reply: ServerReply, first: ServerReply): void {
  const read = ({ headers, text }: ServerReply) => [
    text,
    headers.get('location'),
    headers.get('etag'),
  ]
  expectEqual(read(reply), read(first), 'the same bytes, Location and ETag:')
  expectMatch(reply.headers.get('idempotency-replayed'), /^true$/, 'Idempotency-Replayed')
}

/** What makes it safe to repeat writes, to race them, and to share a server with others. */
export const WRITE_CHECKS: readonly CheckGroup<ServerSubject>[] = [
  {
    title: 'Idempotency keys',
    checks: [
      check(
        'creates one record for two requests with one key, and repeats the reply',
        'Store the reply under the key in the transaction of the write.',
        async ({ ask, project }) => {
          const key = newKey()
          const body = { project_id: project, title: 'Only one' }
          const first = await ask('POST /tasks', '201', body, key)
          const reordered = { title: 'Only one', project_id: project }
          expectReplayed(await ask('POST /tasks', '201', reordered, key), first)
        },
      ),
      check(
        'creates one record for three requests at once with one key',
        'Reserve the key before you execute the request: the others wait, or are 409.',
        async ({ ask, createTask }) => {
          const path = `/tasks/${(await createTask()).id}/comments`
          const key = newKey()
          const send = () => ask(`POST ${path}`, '201|409', { body: 'Only one' }, key)
          await Promise.all([send(), send(), send()])
          expectEqual((await ask(`GET ${path}`, '200')).body.data.length, 1, 'comments:')
        },
      ),
      check(
        'refuses a key that another request has used',
        'Compare method, target and body, and reply 422.',
        async ({ ask, createTask }) => {
          const path = `/tasks/${(await createTask()).id}`
          const key = newKey()
          await ask(`PATCH ${path}`, '200', { title: 'First' }, key)
          await ask(`PATCH ${path}`, '422 idempotency_key_reused', { title: 'Second' }, key)
          expectEqual((await ask(`GET ${path}`, '200')).body.title, 'First', 'the title')
        },
      ),
      check(
        'repeats the reply of a deletion',
        'Look the key up before the record, so that a retried DELETE is 204 again.',
        async ({ ask, createTask }) => {
          const path = `/tasks/${(await createTask()).id}`
          const key = newKey()
          const first = await ask(`DELETE ${path}`, '204', undefined, key)
          expectReplayed(await ask(`DELETE ${path}`, '204', undefined, key), first)
        },
      ),
      check(
        'forgets the key of a refused request, and refuses malformed keys',
        'Store only replies with 2xx; take 1 to 255 visible ASCII characters.',
        async ({ ask, project }) => {
          const key = newKey()
          const body = { project_id: project, title: 'After a refusal' }
          await ask('POST /tasks', '422 validation_failed', { project_id: project }, key)
          await ask('POST /tasks', '201', body, key)
          for (const malformed of ['with space', 'x'.repeat(256)]) {
            const headers = { 'idempotency-key': malformed }
            await ask('POST /tasks', '400 invalid_header', body, { headers })
          }
        },
      ),
    ],
  },
  {
    title: 'Conditional requests',
    checks: [
      check(
        'answers 304 to If-None-Match with the current ETag',
        'Compare weakly, and send the ETag with the 304.',
        async ({ ask, createTask }) => {
          const path = `/tasks/${(await createTask()).id}`
          const etag = (await ask(`GET ${path}`, '200')).headers.get('etag') ?? ''
          const ifNoneMatch = (tags: string) => ({ headers: { 'if-none-match': tags } })
          for (const tags of [etag, `"0-other", W/${etag}`]) {
            const reply = await ask(`GET ${path}`, '304', undefined, ifNoneMatch(tags))
            expectEqual([reply.text, reply.headers.get('etag')], ['', etag], 'body, ETag')
          }
          await ask(`GET ${path}`, '200', undefined, ifNoneMatch('"0-other"'))
        },
      ),
      check(
        'writes only if If-Match names the current version',
        'Compare the version in the transaction of the write, and reply 412.',
        async ({ ask, createTask }) => {
          const path = `/tasks/${(await createTask()).id}`
          const first = ifMatch((await ask(`GET ${path}`, '200')).headers.get('etag'))
          const changed = await ask(`PATCH ${path}`, '200', { title: 'Second version' }, first)
          const title = { title: 'Never' }
          await ask(`PATCH ${path}`, '412 version_mismatch', title, first)
          await ask(`POST ${path}/complete`, '412 version_mismatch', {}, ifMatch('"1"'))
          await ask(`DELETE ${path}`, '412 version_mismatch', undefined, first)
          await ask(`PATCH ${path}`, '400 invalid_header', title, ifMatch('version 2'))
          expectEqual((await ask(`GET ${path}`, '200')).body, changed.body, 'as before:')
          await ask(`DELETE ${path}`, '204', undefined, ifMatch('"2"'))
        },
      ),
      check(
        'keeps all of three updates of different fields at once',
        'Change only the columns that a request names.',
        async ({ ask, createTask }) => {
          const path = `/tasks/${(await createTask()).id}`
          const changes = [{ title: 'At once' }, { description: 'At once' }, { priority: 'low' }]
          await Promise.all(changes.map((change) => ask(`PATCH ${path}`, '200', change)))
          const { title, description, priority, version } = (await ask(`GET ${path}`, '200')).body
          const seen = [title, description, priority, version]
          expectEqual(seen, ['At once', 'At once', 'low', 4], 'all changes')
        },
      ),
    ],
  },
  {
    title: 'Other workspaces',
    checks: [
      check(
        'answers to the key of another workspace as if no record existed',
        'Bind every statement to the workspace of the credential.',
        async ({ ask, create, createTask, project, secondKey: key }) => {
          const task = await createTask('Of the first workspace')
          const path = `/tasks/${task.id}`
          const comment = await create(`${path}/comments`, { body: 'Of the first' })
          const entry = await create(`${path}/time-entries`, { duration_seconds: 1 })
          const tag = await create(`/projects/${project}/tags`, { name: newTagName() })
          for (const line of [
            ...[`GET /projects/${project}`, `GET /projects/${project}/tasks`],
            ...[`GET /projects/${project}/tags`, `POST /projects/${project}/tags`],
            ...[`GET ${path}`, `PATCH ${path}`, `POST ${path}/complete`],
            ...[`GET ${path}/comments`, `POST ${path}/comments`, `DELETE /comments/${comment.id}`],
            ...[`GET ${path}/time-entries`, `POST ${path}/time-entries`],
            ...[`PATCH /time-entries/${entry.id}`, `DELETE /time-entries/${entry.id}`],
            ...[`DELETE /tags/${tag.id}`, `DELETE ${path}`],
          ]) {
            await ask(line, '404 not_found', bodyOf(line), { key })
          }
          const body = { project_id: project, title: 'Never' }
          const wanted = '422 validation_failed project_id=invalid_reference'
          await ask('POST /tasks', wanted, body, { key })
          expectEqual((await ask(`GET ${path}`, '200')).body.version, task.version, 'the version')
        },
        '--second-key',
      ),
      check(
        'lists nothing of another workspace, and does not take its cursors',
        'Filter every list by workspace, and bind cursors to it.',
        async ({ ask, secondKey: key }) => {
          const list = 'GET /projects?limit=200'
          const [mine, theirs] = [
            await ask(list, '200'),
            await ask(list, '200', undefined, { key }),
          ]
          const ids = new Set(mine.body.data.map(({ id }) => id))
          const shared = theirs.body.data.filter(({ id }) => ids.has(id))
          expectEqual(shared, [], 'projects of both workspaces')
          const { next_cursor } = (await ask('GET /workspace/members?limit=1', '200')).body
          if (next_cursor === null) return
          const page = `GET /workspace/members?limit=1&cursor=${next_cursor}`
          await ask(page, '400 invalid_cursor', undefined, { key })
        },
        '--second-key',
      ),
    ],
  },
]
