import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NOBODY } from '#core/actor.ts'
import { command, type Scoped } from '#storage/statement.ts'
import { censusOf, filesOf, without } from '../support/census.ts'
import { ENGINES, type Served } from '../support/engines.ts'
import { freshDocket } from '../support/fresh.ts'
import { LEFT_OUT } from './left-out.ts'
import { exported, imported } from './support.ts'
import { type Deed, newWorld } from './world.ts'

const OTHER = { sqlite: 'postgres', postgres: 'sqlite' } as const

/** What an installation gives a workspace anew: secrets, and what it has sent and told by itself. */
const OWN = {
  applications: ['secret_hash', 'secret_hint'],
  webhooks: [
    ...['sealed_secret', 'secret_hint'],
    // Off until somebody gives the receiver the new secret.
    ...['is_active', 'disabled_reason', 'enabled_after_sequence'],
  ],
  workspaces: ['fanned_out_sequence', 'has_unsent_events', 'last_notice'],
}

for (const engine of ENGINES) {
  test(`every row and every file of an archive comes back (${engine})`, async () => {
    const from = await freshDocket(engine)
    const { workspace } = await newWorld(
      from,
      [1, 2, 3].map((at): Deed => ['tag', at, 2, 0]),
    )
    const { archive } = await exported(from, workspace)
    const there = await freshDocket(OTHER[engine])
    await imported(there, archive)
    const rowsIn = async (served: Served) =>
      without(await censusOf(served, workspace), LEFT_OUT, OWN)
    const [was, is] = [await rowsIn(from), await rowsIn(there)]
    assert.deepEqual(is, was)
    const empty = Object.keys(was).filter((table) => was[table]?.length === 0)
    assert.deepEqual(empty, [], 'of every table there are rows to compare')
    const files = filesOf(from, workspace)
    assert.ok(files && Object.keys(files).length > 1)
    assert.deepEqual(filesOf(there, workspace), files)

    // The control: one field of one row that no list shows.
    await there.storage.write({ ...NOBODY, workspace_id: workspace }, (tx) => tx.run(bend, {}))
    const bent = await rowsIn(there)
    const differing = Object.keys(was).filter((table) => {
      return JSON.stringify(bent[table]) !== JSON.stringify(was[table])
    })
    assert.deepEqual(differing, ['view_pins'])
  })
}

const bend = command((db, $: Scoped) =>
  db.updateTable('view_pins').set({ position: 9 }).where('workspace_id', '=', $.workspace_id),
)
