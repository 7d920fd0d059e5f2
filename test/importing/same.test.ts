import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { ENGINES } from '../support/engines.ts'
import { freshDockets } from '../support/fresh.ts'
import { hear } from '../support/heard.ts'
import { type Home, newHome } from '../support/home.ts'
import { importerOf } from '../support/importing.ts'
import { leftIn } from './left.ts'

// Importers in other processes of the tests would take jobs of a database that they share.
const fresh = freshDockets()

const ROWS = 150
const HEAD = [
  ...['Summary', 'Issue key', 'Issue id', 'Status', 'Project name', 'Priority', 'Assignee'],
  ...['Labels', 'Labels', 'Due date', 'Parent id', 'Inward issue link (Blocks)', 'Description'],
  ...['Comment', 'Comment'],
]

/** Tasks with all that a row can have, and some of which none can be made. */
function tableOf({ people }: Home): string {
  const lines = Array.from({ length: ROWS }, (_, at) => {
    const of = (every: number, text: string) => (at % every === 0 ? text : '')
    return [
      ...[at % 31 === 30 ? '' : `Task ${at}`, `JRA-${at}`, `${at}`],
      ...[['To Do', 'In Review', 'Done', 'Elsewhere'][at % 4], at % 3 ? 'One' : 'Other', 'High'],
      at % 5 === 0 ? 'the member, the guest, nobody at all' : of(2, 'the admin'),
      ...[
        `tag ${at % 7}`,
        of(4, `tag ${at % 6}`),
        of(6, '31/Mar/26'),
        at % 9 ? of(3, `${at - (at % 9)}`) : '',
      ],
      ...[of(8, `JRA-${at + 3}`), of(9, 'What is to be done')],
      of(5, `02/Jan/26 10:00 AM;the member;See <@${people.owner}>`),
      of(10, `03/Jan/26 10:00 AM;bob;Nothing new`),
    ]
  })
  return [HEAD, ...lines].map((cells) => cells.map((cell) => `"${cell}"`).join(',')).join('\n')
}

/** Brings the table in, `atOnce` tasks to a transaction; gives what is there then. */
async function left(served: Awaited<ReturnType<typeof fresh>>, atOnce: number) {
  const home = await newHome(served.storage)
  const { heard, close } = hear(served.storage, home.workspace)
  const by = await importerOf(served, home)
  Object.assign(by.means, { atOnce })
  const { id } = await by.upload('Jira.csv', tableOf(home))
  await by.work()
  await by.choose(id, { kind: 'jira' })
  await by.work()
  await by.choose(id, { projects: [{ name: 'One', project_id: home.project }] })
  await by.act(id, 'start')
  await by.work()
  const done = await by.get(id)
  assert.equal(done.status, 'done')
  assert.ok(done.failed_count > 4 && done.made_count > 100)
  await setImmediate()
  close()
  return leftIn(served.storage, home.workspace, heard)
}

for (const engine of ENGINES) {
  test(`what is brought in together is as if it came one by one (${engine})`, async () => {
    const served = await fresh(engine)
    const alone = await left(served, 1)
    assert.deepEqual(await left(served, 100), alone)
  })
}
