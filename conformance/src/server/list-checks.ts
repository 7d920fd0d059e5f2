import { type CheckGroup, check, expectEqual } from '../check.ts'
import type { ServerSubject } from './client.ts'
import { NO_HOOK, newTagName } from './record-checks.ts'

/** Enough for some pages. */
const RECORDS = 5
/** Ends a walk through a list to which others keep adding records. */
const MAX_PAGES = 20

/** Reads pages, newest first, to the last one or until all `wanted` were seen; returns the ids. */
async function walk(
  { ask }: ServerSubject,
  path: string,
  limit: number,
  wanted: readonly string[] = [],
): Promise<string[]> {
  const ids: string[] = []
  let cursor = ''
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const target = `GET ${path}?sort=-created_at&limit=${limit}${cursor}`
    const { data, has_more, next_cursor } = (await ask(target, '200')).body
    ids.push(...data.map(({ id }) => id))
    if (!has_more) {
      expectEqual([has_more, next_cursor], [false, null], 'on the last page')
      return ids
    }
    expectEqual([data.length, typeof next_cursor], [limit, 'string'], 'on a full page')
    if (wanted.length > 0 && wanted.every((id) => ids.includes(id))) return ids
    cursor = `&cursor=${next_cursor}`
  }
  return ids
}

/** A row for a list: where it is, and the records to create in it. */
const pages = (
  name: string,
  pathOf: (server: ServerSubject) => string | Promise<string>,
  recordOf: (server: ServerSubject) => object,
) =>
  check<ServerSubject>(
    `pages through ${name}, each exactly once`,
    'Continue after the last sort key and id of a page, not at an offset; read one row ahead.',
    async (server) => {
      const list = await pathOf(server)
      const created: string[] = []
      for (let at = 0; at < RECORDS; at += 1) {
        const collection = list.replace(/.*(?=\/tasks$)/, '')
        created.push((await server.create(collection, recordOf(server))).id)
      }
      const isOwn = list.startsWith('/tasks/')
      const ids = await walk(server, list, 2, isOwn ? [] : created)
      expectEqual(new Set(ids).size, ids.length, 'different ids:')
      const own = isOwn ? ids : ids.filter((id) => created.includes(id))
      expectEqual(own, created.reverse(), 'the newest first:')
    },
  )

const newTaskPath =
  (list: string) =>
  async ({ createTask }: ServerSubject) =>
    `/tasks/${(await createTask()).id}/${list}`

/** A row for a list that the kit cannot add to. */
const pagesAlike = (path: string) =>
  check<ServerSubject>(
    `pages through ${path} in the order of the whole list`,
    'Use one order for all sizes of a page.',
    async ({ ask }) => {
      const whole = (await ask(`GET ${path}?limit=4`, '200')).body.data.map(({ id }) => id)
      const ids: string[] = []
      let cursor = ''
      for (const _ of whole) {
        const { data, next_cursor } = (await ask(`GET ${path}?limit=1${cursor}`, '200')).body
        ids.push(...data.map(({ id }) => id))
        cursor = `&cursor=${next_cursor}`
      }
      expectEqual(ids, whole, 'one by one')
    },
  )

/** How lists are read page by page. */
export const LIST_CHECKS: readonly CheckGroup<ServerSubject>[] = [
  {
    title: 'Lists',
    checks: [
      pages('the comments of a task', newTaskPath('comments'), () => ({ body: 'Kit' })),
      pages('the time entries of a task', newTaskPath('time-entries'), () => ({
        duration_seconds: 1,
      })),
      pages(
        'the tasks of a project',
        ({ project }) => `/projects/${project}/tasks`,
        ({ project }) => ({ project_id: project, title: 'Kit' }),
      ),
      pages(
        'the tags of a project',
        ({ project }) => `/projects/${project}/tags`,
        () => ({ name: newTagName() }),
      ),
      pages(
        'the webhooks',
        () => '/webhooks',
        () => ({ url: NO_HOOK, events: ['member.removed'], is_active: false }),
      ),
      pagesAlike('/projects'),
      pagesAlike('/workspace/members'),
      check(
        'skips and repeats nothing when the record of a cursor is deleted',
        'Let a cursor stand for a position in the order, not for a record that must exist.',
        async (server) => {
          const path = await newTaskPath('comments')(server)
          const ids: string[] = []
          for (const body of ['1', '2', '3', '4'])
            ids.push((await server.create(path, { body })).id)
          const { next_cursor } = (await server.ask(`GET ${path}?limit=2`, '200')).body
          await server.ask(`DELETE /comments/${ids[1]}`, '204')
          const rest = await server.ask(`GET ${path}?limit=2&cursor=${next_cursor}`, '200')
          expectEqual(
            rest.body.data.map(({ id }) => id),
            ids.slice(2),
            'the two others',
          )
        },
      ),
      check(
        'refuses cursors of other lists and orders, and changed ones',
        'Sign a cursor, and bind it to workspace, path, filters and sort.',
        async (server) => {
          const path = await newTaskPath('comments')(server)
          for (const body of ['1', '2', '3']) await server.create(path, { body })
          const { next_cursor } = (await server.ask(`GET ${path}?limit=1`, '200')).body
          const cursor = `cursor=${next_cursor}`
          const changed = cursor.replace(/=(.)/, (_, first) => (first === 'x' ? '=y' : '=x'))
          const entries = path.replace('comments', 'time-entries')
          for (const target of [
            ...[`${entries}?${cursor}`, `${path}?sort=-created_at&${cursor}`],
            ...[`${path}?${changed}`, `${path}?cursor=nonsense`, `${path}?cursor=`],
          ]) {
            await server.ask(`GET ${target}`, '400 invalid_cursor cursor=')
          }
          const rest = await server.ask(`GET ${path}?limit=200&${cursor}`, '200')
          expectEqual(rest.body.data.length, 2, 'with another limit: records')
        },
      ),
    ],
  },
]
