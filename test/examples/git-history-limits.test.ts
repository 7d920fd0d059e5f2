import assert from 'node:assert/strict'
import type { DatabaseSync } from 'node:sqlite'
import { after, test } from 'node:test'
import { runHostedCliJson } from '#test/cli/run-hosted-cli.ts'
import { startGitImporter } from './git-importer.ts'
import { createGitRepository } from './git-repository.ts'

/** Four commits fill a bulk request, and the folders of two fill the project with tags. */
const COMMITS = 6
const LARGE_COMMITS = 5
const FOLDERS = 60
const TAG_LIMIT = 500
const ROOM = 100
const BODY = '𝔘'.repeat(60_000)

const repository = createGitRepository()
after(repository.remove)
for (let at = 0; at < COMMITS; at++) {
  const paths = Array.from({ length: FOLDERS }, (_, folder) => `c${at}-f${folder}/file`)
  const body = at < LARGE_COMMITS ? `\n\n${BODY}` : ''
  repository.commit({ message: `Commit ${at}${body}`, paths })
}
const { env, project, runProgram, run, list, end } = await startGitImporter(
  repository.path,
  addTags,
)
after(end)

/** Leaves room for few tags in the project, without the time that 400 requests take. */
function addTags(database: DatabaseSync): void {
  database.exec(`
    with recursive numbers (n) as (
      select 1 union all select n + 1 from numbers where n < ${TAG_LIMIT - ROOM}
    )
    insert into tags (
      workspace_id, id, project_id, name, name_key, name_words, color, task_count,
      created_by_id, created_at, updated_at
    )
    select workspace_id, 'tag_' || format('%026d', n), id, 'tag ' || n, 'tag ' || n, '', '#6b7280', 0,
      created_by_id, created_at, updated_at
    from projects, numbers`)
}

test('imports a history beyond the limits of tags and request size as far as possible', async () => {
  const counts = await run()
  assert.partialDeepStrictEqual(counts, {
    tasks_added: COMMITS,
    tasks_refused: 0,
    tags_added: ROOM,
    tags_without_room: COMMITS * 50 - ROOM,
  })
  const tasks = await list<{ tag_ids: string[]; title: string }>(
    `/api/v1/projects/${project}/tasks`,
  )
  assert.deepEqual(
    tasks.map(({ title, tag_ids }) => [title, tag_ids.length]),
    tasks.map((_, at) => [`Commit ${at}`, at < 2 ? 50 : 0]),
  )
  assert.partialDeepStrictEqual(await run(), {
    tasks_added: 0,
    tasks_there: COMMITS,
    tags_added: 0,
  })
})

test('reports errors in one sentence', async () => {
  const nowhere = await runProgram('--revisions', 'no-such-branch')
  assert.deepEqual([nowhere.code, nowhere.stdout], [1, ''])
  assert.match(nowhere.stderr, /git log failed: fatal: bad revision 'no-such-branch'/)
  assert.match((await runProgram('--project', 'NONE')).stderr, /No project with prefix NONE/)
  const wrong = await runProgram('--color')
  assert.deepEqual([wrong.code, /Usage:/.test(wrong.stderr)], [2, true])
  await runHostedCliJson(env, 'project', 'update', '--project', project, '--archived', 'true')
  const archived = await runProgram()
  assert.deepEqual([archived.code, archived.stdout], [1, ''])
  assert.match(archived.stderr, /Project History is archived/)
})
