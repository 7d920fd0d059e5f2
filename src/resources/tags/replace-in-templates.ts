import { nextUpdatedAt } from '#core/next-updated-at.ts'
import type { WriteTx } from '#core/transaction.ts'
import { command, pickSlots, query, type Scoped } from '#db/core/statement.ts'

const templateIds = query((db, $: Scoped<{ project_id: string }>) =>
  db.selectFrom('templates').select('id').where('project_id', '=', $.project_id).orderBy('id'),
)

/** The template if its text contains the id of a tag. */
const templateWithTag = query((db, $: Scoped<{ id: string; pattern: string }>) =>
  db
    .selectFrom('templates')
    .select(['tasks', 'updated_at'])
    .where('id', '=', $.id)
    .where('tasks', 'like', $.pattern),
)

const changeTemplateTasks = command(
  (db, $: Scoped<{ id: string; tasks: string; updated_at: string }>) =>
    db
      .updateTable('templates')
      .set(pickSlots($, 'tasks', 'updated_at'))
      .where('id', '=', $.id),
)

/**
 * Replaces a tag in the templates of its project, so that tasks created from them get the other one.
 * One template in a statement, because it may have a megabyte of text, which takes some milliseconds.
 */
export async function replaceInTemplates(
  tx: WriteTx,
  { id: tag_id, project_id }: { id: string; project_id: string },
  into_id: string,
): Promise<void> {
  for (const { id } of await tx.all(templateIds, { project_id })) {
    const template = await tx.one(templateWithTag, { id, pattern: `%"${tag_id}"%` })
    if (!template) continue
    const before = JSON.parse(template.tasks) as { tag_ids: string[] }[]
    const tasks = JSON.stringify(
      before.map((task) => ({ ...task, tag_ids: replaceId(task.tag_ids, tag_id, into_id) })),
    )
    const updated_at = nextUpdatedAt(tx, template.updated_at)
    await tx.run(changeTemplateTasks, { id, tasks, updated_at })
    tx.noteChange({ noun: 'template', id, project_id })
  }
}

const replaceId = (ids: readonly string[], id: string, into_id: string): string[] =>
  ids.includes(id)
    ? [...new Set(ids.map((one) => (one === id ? into_id : one)))].toSorted()
    : [...ids]
