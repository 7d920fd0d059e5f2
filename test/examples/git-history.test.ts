import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startGitImporter } from './git-importer.ts'
import { createGitRepository } from './git-repository.ts'

const repository = createGitRepository()
after(repository.remove)

interface GitHistoryTask {
  id: string
  title: string
  description: string | null
  status: string
  assignee_ids: string[]
  tag_ids: string[]
  start_date: string
  due_date: string
  external_source: string
  external_id: string
  metadata: Record<string, string>
  comment_count: number
}

const { commit } = repository
const LONG = `long\n\n${'𝔘nicode\t"quoted"\n'.repeat(6_000)}`
const first = commit({
  message:
    'feat(api)!: 🚀 begin\n\nBody.\n\nCo-authored-by: Ada <ADA@example.com>\nReviewed-by: Zoë <z@x>\n',
  author: 'José "Pepe" 👩‍🚀 O\'Brien <jose@example.com>',
  paths: ['lib/a.js', 'Lib/b.js', 'ünï "dir"/c', 'top'],
})
commit({ message: '', author: 'Bo <bo@example.com>' })
const bell = commit({
  message: '\u001b[31mred\u001b[0m\ttab\u2028line\n\nbell \u0007 and \u0085 next\r\n',
  author: 'Ada <Ada@Example.com>',
  authored: '2024-03-05T23:00:00+1400',
  committed: '2024-03-01T01:00:00-1000',
})
commit({ message: LONG })
commit({ message: `${'x'.repeat(498)}😀😀😀\n\nrest` })
commit({ message: "Merge branch 'b'\n", secondParent: first })
commit({ message: 'Größe geändert', latin1: true })
repository.note(bell, 'Noted later.')
const COMMITS = 7
const COMMENTS = 3

// Started last, so that no failure before it leaves a server running.
const { project, ada, run, list, remove, end } = await startGitImporter(repository.path)
after(end)

const tasks = () => list<GitHistoryTask>(`/api/v1/projects/${project}/tasks`)

const NOTHING_ADDED = {
  commits: COMMITS,
  tasks_added: 0,
  tasks_there: COMMITS,
  comments_added: 0,
  tags_added: 0,
}

test('--dry-run validates every commit and stores nothing', async () => {
  const counts = await run('--dry-run')
  const would = { tasks_added: COMMITS, tasks_refused: 0, comments_added: COMMENTS, tags_added: 3 }
  assert.partialDeepStrictEqual(counts, would)
  assert.deepEqual(await tasks(), [])
  assert.deepEqual(await list(`/api/v1/projects/${project}/tags`), [])
})

test('each commit becomes a task, in order, with all of its metadata', async () => {
  const counts = await run()
  const done = { tasks_added: COMMITS, tasks_there: 0, comments_added: COMMENTS, tags_added: 3 }
  assert.partialDeepStrictEqual(counts, done)
  const tags = await list<{ id: string; name: string }>(`/api/v1/projects/${project}/tags`)
  assert.deepEqual(
    tags.map(({ name }) => name),
    ['feat', 'Lib/', 'ünï "dir"/'],
  )
  const [begin, empty, red, long, wide, merge, latin] = await tasks()
  assert.partialDeepStrictEqual(begin, {
    title: 'feat(api)!: 🚀 begin',
    status: 'done',
    assignee_ids: [ada],
    start_date: '2024-02-29',
    due_date: '2024-03-01',
    external_source: 'git',
    external_id: first,
    metadata: {
      author: 'José "Pepe" 👩‍🚀 O\'Brien <jose@example.com>',
      authored_at: '2024-02-29T10:00:00+01:00',
      committed_at: '2024-03-01T10:00:00+01:00',
      committer: 'Grace Hopper <grace@example.com>',
    },
  })
  assert.deepEqual(new Set(begin?.tag_ids), new Set(tags.map(({ id }) => id)))
  assert.deepEqual(
    [empty?.title, empty?.description],
    [`Commit ${empty?.external_id.slice(0, 12)}`, null],
  )
  assert.deepEqual([empty?.assignee_ids, empty?.metadata.author], [[], 'Bo <bo@example.com>'])
  assert.equal(red?.title, '\ufffd[31mred\ufffd[0m tab line')
  assert.equal(red?.description, 'bell \ufffd and \ufffd next\r\n')
  assert.deepEqual([red?.start_date, red?.due_date], ['2024-03-01', '2024-03-01'])
  assert.equal([...(long?.description ?? '')].length, 65_536)
  assert.ok(long?.description?.startsWith(LONG.slice(6, 60_000)))
  assert.equal(wide?.title, `${'x'.repeat(498)}😀…`)
  assert.equal(wide?.description, `${'x'.repeat(498)}😀😀😀\n\nrest`)
  assert.equal(latin?.title, 'Größe geändert')
  assert.equal(merge?.metadata.parents, `${wide?.external_id} ${first}`)
})

test('trailers, notes and merges become comments', async () => {
  const bodies = async (at: number) => {
    const { id } = (await tasks())[at] ?? { id: '' }
    const comments = await list<{ body: string }>(`/api/v1/tasks/${id}/comments`)
    return comments.map(({ body }) => body)
  }
  assert.deepEqual(await bodies(0), [
    '- Co-authored-by: Ada <ADA@example.com>\n- Reviewed-by: Zoë <z@x>',
  ])
  assert.deepEqual(await bodies(2), ['Noted later.\n'])
  const [, , , , wide] = await tasks()
  const [into, merged] = [wide?.external_id, first].map((hash) => `\`${hash?.slice(0, 12)}\``)
  assert.deepEqual(await bodies(5), [`Merges ${merged} into ${into}.`])
})

test('a second run adds nothing, with or without --again', async () => {
  const before = await tasks()
  assert.partialDeepStrictEqual(await run(), NOTHING_ADDED)
  assert.partialDeepStrictEqual(await run('--again'), NOTHING_ADDED)
  assert.deepEqual(await tasks(), before)
})

test('a later run adds missing comments and new commits', async () => {
  const [begin] = await tasks()
  const [comment] = await list<{ id: string }>(`/api/v1/tasks/${begin?.id}/comments`)
  await remove(`/api/v1/comments/${comment?.id}`)
  commit({ message: 'docs: one more', paths: ['docs/a'] })
  const counts = await run('--again')
  const more = { tasks_added: 1, tasks_there: COMMITS, comments_added: 1, tags_added: 2 }
  assert.partialDeepStrictEqual(counts, more)
  assert.equal((await tasks()).at(-1)?.title, 'docs: one more')
})

test('counts deleted tasks, and recreates them with --again', async () => {
  const [begin] = await tasks()
  await run()
  await remove(`/api/v1/tasks/${begin?.id}`)
  assert.partialDeepStrictEqual(await run(), { tasks_added: 0, tasks_elsewhere: 1 })
  assert.partialDeepStrictEqual(await run('--again'), { tasks_added: 1, tasks_elsewhere: 0 })
})
