import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { createMembership } from '#resources/members/membership.ts'
import { ENGINES } from '../support/engines/test-docket.ts'
import { createImporter } from '../support/world/importer.ts'
import { openHistoryDocket, openHistoryDocketPair } from './history-docket.ts'
import { createReader, pullAll, pullAndCompare } from './history-reader.ts'
import { createHistoryWorld, type HistoryDocket, write } from './history-world.ts'
import { type HistoryOptions, runHistory } from './run-histories.ts'

// The long form is main.ts.
const { CHANGES_HISTORIES, CHANGES_SEED = '1', CHANGES_STEPS = '40' } = process.env
/** Background jobs look at every workspace, so that databases with many are slow. */
const HISTORIES_PER_DATABASE = 50
const [firstSeed, steps] = [Number(CHANGES_SEED), Number(CHANGES_STEPS)]

const CSV = 'Title,Labels,Status\nOne,"a, b",Done\nTwo,a,To do\n'

for (const engine of ENGINES) {
  test(`copies equal the lists in every random history (${engine})`, async (t) => {
    const histories = Number(CHANGES_HISTORIES ?? { sqlite: 4, postgres: 2 }[engine])
    const result = await runHistories(() => openHistoryDocket(engine), histories, {})
    t.diagnostic(result.counts)
    assert.deepEqual(result.failures, [])
  })

  test(`imports, their undoing and accounts changed elsewhere reach a copy (${engine})`, async () => {
    const docket = await openHistoryDocket(engine)
    const [world, elsewhere] = [
      await createHistoryWorld(docket, 1),
      await createHistoryWorld(docket, 2),
    ]
    const reader = createReader(world.people.owner, {}, [500])
    await pullAll(world, reader)

    const importer = await createImporter(docket, world.team)
    const { id } = await importer.upload('Plans.csv', CSV)
    await importer.work()
    await importer.choose(id, { projects: [{ name: '', project_id: world.team.project }] })
    await importer.act(id, 'start')
    await importer.work()
    assert.deepEqual(await pullAndCompare(world, reader), [])
    const hasTask = () => [...reader.copy.records.values()].some(({ type }) => type === 'task')
    assert.ok(hasTask())
    await importer.act(id, 'undo')
    await importer.work()
    assert.deepEqual(await pullAndCompare(world, reader), [])
    assert.ok(!hasTask())

    const person = elsewhere.people.member
    const team = { ...ANONYMOUS_ACTOR, workspace_id: world.team.workspace }
    await docket.storage.write(team, (tx) =>
      createMembership(tx, { user_id: person.id, name: 'Elsewhere', role: 'guest' }),
    )
    await pullAll(world, reader)
    await write(elsewhere, person, 'PATCH /internal/account', { name: 'Renamed' })
    assert.deepEqual(await pullAndCompare(world, reader), [])
    assert.ok(JSON.stringify([...reader.copy.records.values()]).includes('Renamed'))
  })
}

test('copies equal the lists while two servers write to one PostgreSQL at once', async (t) => {
  if (!ENGINES.includes('postgres')) return
  const histories = Number(CHANGES_HISTORIES ?? 1)
  const result = await runHistories(openHistoryDocketPair, histories, { concurrency: 4 })
  t.diagnostic(result.counts)
  assert.deepEqual(result.failures, [])
})

async function runHistories(
  open: () => Promise<HistoryDocket>,
  histories: number,
  options: Partial<HistoryOptions>,
): Promise<{ failures: string[]; counts: string }> {
  const sums = { histories: 0, accepted: 0, rejected: 0, comparisons: 0 }
  const failures: string[] = []
  let docket = await open()
  for (let done = 0; done < histories; done += 1) {
    if (done > 0 && done % HISTORIES_PER_DATABASE === 0) docket = await open()
    const seed = firstSeed + done
    // While several things happen at once, a page of the web app loads its tasks between writes.
    const concurrency = seed % 4 === 0 ? 4 : 1
    const result = await runHistory(docket, seed, { steps, concurrency, ...options })
    sums.histories += 1
    for (const name of ['accepted', 'rejected', 'comparisons'] as const) sums[name] += result[name]
    if (result.faults.length === 0) continue
    failures.push(`seed ${seed}: ${result.faults.join('\n')}`)
    // At once, because a long run may be ended before its report.
    if (CHANGES_HISTORIES !== undefined) console.log(failures.at(-1))
  }
  return { failures, counts: `first seed ${firstSeed}, ${JSON.stringify(sums)}` }
}
