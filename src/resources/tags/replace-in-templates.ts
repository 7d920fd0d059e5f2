import { nextUpdatedAt } from '#core/next-updated-at.ts'
import type { WriteTx } from '#core/transaction.ts'
import { command, pickSlots, query, type Scoped } from '#db/core/statement.ts'

type TemplateSearchParams = Scoped<{ project_id: string; pattern: string; after: string }>

/** The next template of a project whose text contains the id of a tag. */
const nextTemplateWithTag = query((db, $: TemplateSearchParams) =>
  db
    .selectFrom('templates')
    .select(['id', 'tasks', 'updated_at'])
    .where('workspace_id', '=', $.workspace_id)
    .where('project_id', '=', $.project_id)
    .where('id', '>', $.after)
    .where('tasks', 'like', $.pattern)
    .orderBy('id')
    .limit((is) => is.lit(1)),
)

const changeTemplateTasks = command(
  (db, $: Scoped<{ id: string; tasks: string; updated_at: string }>) =>
    db
      .updateTable('templates')
      .set(pickSlots($, 'tasks', 'updated_at'))
      .where('workspace_id', '=', $.workspace_id)
      .where('id', '=', $.id),
)

/**
 * Replaces a tag in the templates of its project, so that tasks created from them get the other one.
 * One template at a time, because it may have a megabyte of text.
 */
export async function replaceInTemplates(
  tx: WriteTx,
  { id: tag_id, project_id }: { id: string; project_id: string },
  into_id: string,
): Promise<void> {
  for (let after = ''; ; ) {
    const search = { project_id, pattern: `%"${tag_id}"%`, after }
    const template = await tx.one(nextTemplateWithTag, search)
    if (!template) return
    const { id } = template
    after = id
    const before = JSON.parse(template.tasks) as { tag_ids: string[] }[]
    const tasks = before.map((task) => ({
      ...task,
      tag_ids: replaceId(task.tag_ids, tag_id, into_id),
    }))
    const updated_at = nextUpdatedAt(tx, template.updated_at)
    await tx.run(changeTemplateTasks, { id, tasks: JSON.stringify(tasks), updated_at })
    tx.noteChange({ noun: 'template', id, op: 'update', project_id, revision: updated_at })
  }
}

const replaceId = (ids: readonly string[], id: string, into_id: string): string[] =>
  ids.includes(id)
    ? [...new Set(ids.map((one) => (one === id ? into_id : one)))].toSorted()
    : [...ids]
