import type { WriteTx } from '#core/tx.ts'
import { advanceGeneration } from '#identity/generation.ts'
import { isListed } from '#resources/members/store.ts'
import { command, query, type Scoped } from '#storage/statement.ts'
import { addPerson } from './create.ts'

type Person = Scoped<{ project_id: string; user_id: string }>

/** An active member who sees the project, or will when leading it. */
export const possibleLead = query((db, $: Person) =>
  db
    .selectFrom('memberships')
    .select('user_id')
    .where('workspace_id', '=', $.workspace_id)
    .where('user_id', '=', $.user_id)
    .where('removed_at', 'is', null)
    .where((is) => is.or([is('role', '<>', 'guest'), isListed($)])),
)

const dropPerson = command((db, $: Person) =>
  db
    .deleteFrom('project_people')
    .where('workspace_id', '=', $.workspace_id)
    .where('project_id', '=', $.project_id)
    .where('user_id', '=', $.user_id),
)

type Entry = { project_id: string; user_id: string }

/** Puts somebody into the people list of a project; who is in it stays there. */
export async function putInList(tx: WriteTx, entry: Entry): Promise<void> {
  if ((await tx.run(addPerson, entry)) > 0) await noteEntry(tx, entry, 'create')
}

/** Takes somebody out of it, who may be in it. */
export async function takeOutOfList(tx: WriteTx, entry: Entry): Promise<void> {
  if ((await tx.run(dropPerson, entry)) > 0) await noteEntry(tx, entry, 'delete')
}

/** Whoever looks on sees other projects from now on, in every process. */
async function noteEntry(tx: WriteTx, { project_id, user_id }: Entry, op: 'create' | 'delete') {
  tx.note({ noun: 'person', id: user_id, op, project_id })
  const action = op === 'create' ? 'project.person_added' : 'project.person_removed'
  tx.audit(action, project_id, { user_id })
  await advanceGeneration(tx)
}
