import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { query, type Scoped } from '#db/core/statement.ts'
import { createFreshDockets } from '#test/support/engines/fresh-docket.ts'
import { ENGINES } from '#test/support/engines/test-docket.ts'
import { recordChanges } from '#test/support/scenario/recorded-changes.ts'
import { createImporter } from '#test/support/world/importer.ts'
import { createTestWorkspace, type TestWorkspace } from '#test/support/world/test-workspace.ts'
import { dumpWorkspace } from './workspace-dump.ts'

// On a shared database, importers of other test processes would claim the jobs.
const fresh = createFreshDockets()

const ROWS = 100
const HEAD = [
  'Summary',
  'Issue key',
  'Issue id',
  'Status',
  'Project name',
  'Priority',
  'Assignee',
  'Labels',
  'Labels',
  'Due date',
  'Parent id',
  'Inward issue link (Blocks)',
  'Description',
  'Comment',
  'Comment',
]

/** Rows that use every column, some of them empty. */
function tableOf({ people }: TestWorkspace): string {
  const lines = Array.from({ length: ROWS }, (_, at) => {
    const everyNth = (every: number, text: string) => (at % every === 0 ? text : '')
    if (at % 31 === 30) return HEAD.map((_, column) => (column === 1 ? `JRA-${at}` : ''))
    return [
      `Task ${at}`,
      `JRA-${at}`,
      `${at}`,
      ['To Do', 'In Review', 'Done', 'Elsewhere'][at % 4],
      at % 3 ? 'One' : 'Other',
      'High',
      at % 5 === 0 ? 'the member, the guest, nobody at all' : everyNth(2, 'the admin'),
      `tag ${at % 7}`,
      everyNth(4, `tag ${at % 6}`),
      everyNth(6, '31/Mar/26'),
      at % 9 ? everyNth(3, `${at - (at % 9)}`) : '',
      everyNth(8, `JRA-${at + 3}`),
      everyNth(9, 'What is to be done'),
      everyNth(5, `02/Jan/26 10:00 AM;the member;See <@${people.owner}>`),
      everyNth(10, `03/Jan/26 10:00 AM;bob;Nothing new`),
    ]
  })
  return [HEAD, ...lines].map((cells) => cells.map((cell) => `"${cell}"`).join(',')).join('\n')
}

/** Imports the table with this many tasks in a transaction, and returns the resulting workspace. */
async function importInBatches(docket: Awaited<ReturnType<typeof fresh>>, batchSize: number) {
  const team = await createTestWorkspace(docket.storage)
  const { hints, close } = recordChanges(docket.storage, team.workspace)
  const importer = await createImporter(docket, team)
  Object.assign(importer.means, { taskBatchSize: batchSize })
  const { id } = await importer.upload('Jira.csv', tableOf(team))
  await importer.work()
  await importer.choose(id, { kind: 'jira' })
  await importer.work()
  await importer.choose(id, { projects: [{ name: 'One', project_id: team.project }] })
  await importer.act(id, 'start')
  await importer.work()
  const done = await importer.get(id)
  assert.equal(done.status, 'done')
  assert.ok(done.failed_count === 3 && done.made_count === ROWS - 3)
  close()
  return dumpWorkspace(docket.storage, team.workspace, hints)
}

const importedTags = query((db, $: Scoped) =>
  db.selectFrom('tags').select('id').where('workspace_id', '=', $.workspace_id),
)
const openProjects = query((db, $: Scoped) =>
  db
    .selectFrom('projects')
    .select('id')
    .where('workspace_id', '=', $.workspace_id)
    .where('archived_at', 'is', null),
)

for (const engine of ENGINES) {
  test(`the batch size does not change the result of an import (${engine})`, async () => {
    const docket = await fresh(engine)
    const oneByOne = await importInBatches(docket, 1)
    assert.deepEqual(await importInBatches(docket, 40), oneByOne)
  })

  test(`an undo takes back tags and projects in batches of 25 (${engine})`, async () => {
    const docket = await fresh(engine)
    const team = await createTestWorkspace(docket.storage)
    const importer = await createImporter(docket, team)
    const actor = { ...ANONYMOUS_ACTOR, workspace_id: team.workspace }
    const countLeft = () =>
      docket.storage.read(actor, async (tx) => {
        const [tags, projects] = [await tx.all(importedTags, {}), await tx.all(openProjects, {})]
        return tags.length + projects.length
      })
    const empty = await countLeft()
    const rows = Array.from({ length: 60 }, (_, n) => `Task ${n},tag ${n},Project ${n % 30}`)
    const { id } = await importer.upload('Tasks.csv', ['title,tags,project', ...rows].join('\n'))
    await importer.work()
    await importer.act(id, 'start')
    await importer.work()
    assert.equal((await countLeft()) - empty, 90)
    await importer.act(id, 'undo')
    for (let left = await countLeft(); left > empty; ) {
      await importer.step()
      const next = await countLeft()
      assert.ok(left - next <= 25, `${left - next} at once`)
      left = next
    }
    await importer.work()
    assert.equal((await importer.get(id)).status, 'undone')
  })
}
