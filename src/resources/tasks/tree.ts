import type { WriteTx } from '#core/tx.ts'
import type { Json } from '#lib/json.ts'
import type { Core, Setting } from './core.ts'
import { insert } from './insert.ts'
import type { MadeTree } from './internal.ts'
import { addBlocker, refreshDependencies } from './links.ts'
import type { Place } from './place.ts'
import { taskById } from './shown.ts'
import { tellCreated } from './tell.ts'

/** A task of a tree that is to be made; `parent` and `blocked_by` are places in the list of all. */
export interface Seed {
  core: Omit<Core, 'parent_id' | 'blocked_by_ids'>
  /** A place before its own; null: the topmost. */
  parent: number | null
  blocked_by: readonly number[]
}

interface Top {
  /** Under which task the topmost comes to stand. */
  parent_id: string | null
  place?: Pick<Place, 'side' | 'beside'> | undefined
}

/** Makes tasks that are known to be right, the topmost first, and tells of them in that order. */
export async function makeTree(
  tx: WriteTx,
  setting: Setting,
  seeds: readonly Seed[],
  { parent_id, place }: Top,
): Promise<Json<MadeTree>> {
  const ids: string[] = []
  const idAt = (at: number): string => {
    const id = ids[at]
    if (id === undefined) throw new Error('A tree names a task that is not made yet')
    return id
  }
  for (const { core, parent } of seeds) {
    const whole = { ...core, parent_id: parent === null ? parent_id : idAt(parent) }
    const birth = { created_by_id: tx.actor.user_id ?? '', ...(parent === null && { place }) }
    ids.push((await insert(tx, setting, { ...whole, blocked_by_ids: [] }, birth)).id)
  }
  const links = seeds.flatMap(({ blocked_by }, at) =>
    blocked_by.map((blocker) => ({ task_id: idAt(at), blocker_id: idAt(blocker) })),
  )
  for (const link of links) await tx.run(addBlocker, link)
  await refreshDependencies(
    tx,
    links.flatMap(({ task_id, blocker_id }) => [task_id, blocker_id]),
  )
  // Read when all is done: an event shows the task as it is at the commit.
  let top: string | undefined
  for (const [at, { core }] of seeds.entries()) {
    const made = await tx.one(taskById, { id: idAt(at) })
    if (!made) throw new Error('A task was made that cannot be seen')
    tellCreated(tx, { ...made, assignee_ids: core.assignee_ids })
    top ??= made.json
  }
  return `{"task":${top},"made":${seeds.length}}` as Json<MadeTree>
}
