import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { answerOf } from '#test/cli/run.ts'
import { newImporter } from './importer.ts'
import { newRepository } from './repository.ts'

/** Long enough that four commits fill a bulk, of many folders, and more of them than tags fit. */
const COMMITS = 11
const FOLDERS = 60
const BODY = '𝔘'.repeat(60_000)

const repository = newRepository()
after(repository.remove)
for (let at = 0; at < COMMITS; at++) {
  const paths = Array.from({ length: FOLDERS }, (_, folder) => `c${at}-f${folder}/file`)
  repository.commit({ message: `Commit ${at}\n\n${BODY}`, paths })
}
const { env, project, ran, run, listed, end } = await newImporter(repository.path)
after(end)

test('a history beyond the limits of tags and of a request is taken as far as it goes', async () => {
  const counted = await run()
  assert.partialDeepStrictEqual(counted, {
    tasks_added: COMMITS,
    tasks_refused: 0,
    tags_added: 500,
    tags_without_room: COMMITS * 50 - 500,
  })
  const tasks = await listed<{ tag_ids: string[]; title: string }>(
    `/api/v1/projects/${project}/tasks`,
  )
  assert.deepEqual(
    tasks.map(({ title, tag_ids }) => [title, tag_ids.length]),
    tasks.map((_, at) => [`Commit ${at}`, at < 10 ? 50 : 0]),
  )
  assert.partialDeepStrictEqual(await run(), {
    tasks_added: 0,
    tasks_there: COMMITS,
    tags_added: 0,
  })
})

test('what cannot be done is said in a sentence', async () => {
  const nowhere = await ran('--revisions', 'no-such-branch')
  assert.deepEqual([nowhere.code, nowhere.stdout], [1, ''])
  assert.match(nowhere.stderr, /git log failed: fatal: bad revision 'no-such-branch'/)
  assert.match((await ran('--project', 'NONE')).stderr, /No project .* has the prefix NONE/)
  const wrong = await ran('--color')
  assert.deepEqual([wrong.code, /Usage:/.test(wrong.stderr)], [2, true])
  await answerOf(env, 'project', 'update', '--project', project, '--archived', 'true')
  const archived = await ran()
  assert.deepEqual([archived.code, archived.stdout], [1, ''])
  assert.match(archived.stderr, /Project History is archived/)
})
