import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import type { DatabaseEngine } from '#core/transaction.ts'
import { createMembership } from '#resources/members/membership.ts'
import { ENGINES } from '../support/engines/test-docket.ts'
import { createImporter } from '../support/world/importer.ts'
import { CHANGE_CAUSES, createCauseWorld } from './causes.ts'
import { openHistoryDocket } from './history-docket.ts'
import { createReader, pullAll, pullAndCompare } from './history-reader.ts'
import { createHistoryWorld, type HistoryDocket, renewKey, write } from './history-world.ts'

const CSV = 'Title,Labels,Status\nOne,"a, b",Done\nTwo,a,To do\n'

const dockets = new Map<DatabaseEngine, Promise<HistoryDocket>>()
const openSharedDocket = (engine: DatabaseEngine) =>
  dockets.getOrInsertComputed(engine, () => openHistoryDocket(engine))

for (const engine of ENGINES) {
  test(`each cause of a change reaches a copy (${engine})`, async () => {
    const world = await createCauseWorld(await openSharedDocket(engine), 1)
    const problems: string[] = []
    for (const { name, reader: personOf, change } of CHANGE_CAUSES) {
      const reader = createReader(personOf?.(world) ?? world.people.owner, {}, [500])
      await pullAll(world, reader)
      for (const turn of [0, 1] as const) {
        assert.ok((await change(world, turn)).status < 300, world.log.join('\n'))
        for (const fault of await pullAndCompare(world, reader)) problems.push(`${name}: ${fault}`)
      }
    }
    assert.deepEqual(problems, [])
  })

  test(`imports, their undoing and accounts changed elsewhere reach a copy (${engine})`, async () => {
    const docket = await openSharedDocket(engine)
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

  test(`a member who returns without a project forgets it (${engine})`, async () => {
    const world = await createHistoryWorld(await openSharedDocket(engine), 1)
    const { team } = world
    for (const person of [world.people.member, world.people.guest]) {
      const ask = (line: string) => write(world, world.people.owner, line)
      await ask(`PUT /internal/projects/${team.hidden}/people/${person.id}`)
      const reader = createReader(person, {}, [500])
      await pullAll(world, reader)
      await ask(`DELETE /internal/members/${person.id}`)
      const system = { ...ANONYMOUS_ACTOR, workspace_id: team.workspace }
      const { id: user_id, role } = person
      await world.docket.storage.write(system, (tx) =>
        createMembership(tx, { user_id, name: 'Again', role }),
      )
      await renewKey(world, person)
      assert.deepEqual(await pullAndCompare(world, reader), [])
    }
  })
}
