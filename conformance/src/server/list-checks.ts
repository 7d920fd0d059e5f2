import { type CheckGroup, type ConformanceCheck, expectEqual, expectTrue } from '../check.ts'
import { expectError, expectStatus, type ReplyBody, type ServerSubject } from './client.ts'

/** Enough for some pages. */
const RECORDS = 5
const PAGE_SIZE = 2
/** Ends a walk through a list to which others keep adding records. */
const MAX_PAGES = 20

/** Reads pages until one of them is the last or all `wanted` records were seen; returns the ids. */
async function walk(
  { ask }: ServerSubject,
  path: string,
  limit: number,
  wanted: readonly string[] = [],
): Promise<string[]> {
  const ids: string[] = []
  let cursor = ''
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const reply = await ask(`GET ${path}?sort=-created_at&limit=${limit}${cursor}`)
    expectStatus(reply, 200)
    const { data, has_more, next_cursor } = reply.body
    ids.push(...data.map(({ id }) => id))
    const { exchange } = reply
    if (!has_more) {
      expectEqual([has_more, next_cursor], [false, null], 'on the last page', exchange)
      return ids
    }
    expectEqual([data.length, typeof next_cursor], [limit, 'string'], 'on a full page', exchange)
    if (wanted.length > 0 && wanted.every((id) => ids.includes(id))) return ids
    cursor = `&cursor=${encodeURIComponent(String(next_cursor))}`
  }
  return ids
}

/** A list in which the check creates records. */
interface WalkedList {
  name: string
  path(server: ServerSubject): Promise<string>
  record(server: ServerSubject, at: number): object
  /** Whether the records of the check are the only ones. */
  isOwn?: true
}

const pathBelowTask =
  (list: string) =>
  async ({ createTask }: ServerSubject) =>
    `/tasks/${(await createTask()).id}/${list}`

const LISTS: readonly WalkedList[] = [
  {
    name: 'comments of a task',
    path: pathBelowTask('comments'),
    record: (_, at) => ({ body: `Comment ${at}` }),
    isOwn: true,
  },
  {
    name: 'time entries of a task',
    path: pathBelowTask('time-entries'),
    record: (_, at) => ({ duration_seconds: at + 1 }),
    isOwn: true,
  },
  {
    name: 'tasks of a project',
    path: async ({ project }) => `/projects/${project}/tasks`,
    record: ({ project }, at) => ({ project_id: project, title: `Task ${at}` }),
  },
  {
    name: 'tags of a project',
    path: async ({ project }) => `/projects/${project}/tags`,
    record: () => ({ name: `conformance ${crypto.randomUUID().slice(0, 8)}` }),
  },
  {
    name: 'webhooks',
    path: async () => '/webhooks',
    record: () => ({
      url: 'https://conformance.invalid/hook',
      events: ['member.removed'],
      is_active: false,
    }),
  },
]

const walkCheck = ({ name, path, record, isOwn }: WalkedList): ConformanceCheck<ServerSubject> => ({
  name: `pages through the ${name}, each exactly once`,
  advice:
    'Continue after the last sort key and id of a page, never at an offset; read one row more.',
  async run(server) {
    const list = await path(server)
    const collection = list.endsWith('/tasks') ? '/tasks' : list
    const created: string[] = []
    for (let at = 0; at < RECORDS; at += 1) {
      created.push((await server.create(collection, record(server, at))).id)
    }
    const ids = await walk(server, list, PAGE_SIZE, isOwn ? [] : created)
    expectEqual(ids.length, new Set(ids).size, 'without repeated records,')
    const own = isOwn ? ids : ids.filter((id) => created.includes(id))
    expectEqual(own, created.toReversed(), 'the newest first:')
    return `${ids.length} records in pages of ${PAGE_SIZE}`
  },
})

/** Creates comments of a new task; returns the path of their list, and their ids. */
async function createComments({ createTask, create }: ServerSubject, count: number) {
  const path = `/tasks/${(await createTask()).id}/comments`
  const comments: ReplyBody[] = []
  for (let at = 0; at < count; at += 1) comments.push(await create(path, { body: `Comment ${at}` }))
  return { path, ids: comments.map(({ id }) => id) }
}

/** How lists are read page by page. */
export const LIST_CHECKS: readonly CheckGroup<ServerSubject>[] = [
  {
    title: 'Lists',
    checks: [
      ...LISTS.map(walkCheck),
      ...['/projects', '/workspace/members'].map(
        (path): ConformanceCheck<ServerSubject> => ({
          name: `pages through ${path} in the order of the whole list`,
          advice: 'Use one order for all sizes of a page.',
          async run({ ask }) {
            const whole = await ask(`GET ${path}?limit=4`)
            expectStatus(whole, 200)
            const ids: string[] = []
            let cursor = ''
            for (const _ of whole.body.data) {
              const { body } = await ask(`GET ${path}?limit=1${cursor}`)
              ids.push(...body.data.map(({ id }) => id))
              cursor = `&cursor=${encodeURIComponent(String(body.next_cursor))}`
            }
            expectEqual(
              ids,
              whole.body.data.map(({ id }) => id),
              'the same records',
              whole.exchange,
            )
            return `${ids.length} records in pages of 1`
          },
        }),
      ),
      {
        name: 'skips and repeats nothing when the record of a cursor is deleted',
        advice: 'Let a cursor stand for a position in the order, not for a record that must exist.',
        async run(server) {
          const { ask } = server
          const { path, ids } = await createComments(server, 4)
          const first = await ask(`GET ${path}?limit=2`)
          expectStatus(await ask(`DELETE /comments/${ids[1]}`), 204)
          const cursor = encodeURIComponent(String(first.body.next_cursor))
          const rest = await ask(`GET ${path}?limit=2&cursor=${cursor}`)
          const seen = rest.body.data.map(({ id }) => id)
          expectEqual(seen, ids.slice(2), 'the two others', rest.exchange)
          return '2 + 2 records'
        },
      },
      {
        name: 'refuses cursors of other lists and orders, and changed ones',
        advice: 'Sign a cursor, and bind it to workspace, path, filters and sort.',
        async run(server) {
          const { ask } = server
          const { path } = await createComments(server, 2)
          const { body } = await ask(`GET ${path}?limit=1`)
          const cursor = encodeURIComponent(String(body.next_cursor))
          const changed = `${cursor.startsWith('x') ? 'y' : 'x'}${cursor.slice(1)}`
          const refused = [
            `${path.replace('comments', 'time-entries')}?cursor=${cursor}`,
            `${path}?sort=-created_at&cursor=${cursor}`,
            `${path}?cursor=${changed}`,
            `${path}?cursor=nonsense`,
            `${path}?cursor=`,
          ]
          for (const target of refused) {
            expectError(await ask(`GET ${target}`), 400, 'invalid_cursor')
          }
          const other = await ask(`GET ${path}?limit=200&cursor=${cursor}`)
          expectStatus(other, 200)
          expectTrue(other.body.data.length === 1, 'the rest with another limit', other.body.data)
          return '5 times 400'
        },
      },
    ],
  },
]
