import type { WriteTx } from '#core/transaction.ts'
import type { StatusCategory } from '#resources/projects/contract.ts'
import type { Task } from '../fields.ts'
import { adjustTagCount } from '../statements/links.ts'
import { adjustSubtaskCounts, adjustTaskCount } from '../store.ts'
import { noteDerivedChange } from './task-events.ts'

/**
 * The fields of a task that decide where it is counted: in its project, its parent and its tags.
 */
export type CountedTask = Pick<Task, 'project_id' | 'status_category' | 'parent_id' | 'tag_ids'>

/**
 * Collects the changes of counters by an operation and writes each row once. PostgreSQL visits all
 * versions of a row that the transaction has made already, so a thousand updates of one project
 * would cost half a million steps.
 */
export class TaskCounters {
  readonly #projects = new Map<string, Map<StatusCategory, number>>()
  readonly #parents = new Map<string, { project_id: string; by: number; completed: number }>()
  readonly #tags = new Map<string, number>()

  /** Adds or subtracts a task in all counters. */
  add(task: CountedTask, by: 1 | -1): void {
    const { project_id, status_category, parent_id, tag_ids } = task
    const categories = this.#projects.get(project_id) ?? new Map<StatusCategory, number>()
    categories.set(status_category, (categories.get(status_category) ?? 0) + by)
    this.#projects.set(project_id, categories)
    if (parent_id !== null) {
      const parent = this.#parents.get(parent_id) ?? { by: 0, completed: 0 }
      const completed = status_category === 'completed' ? by : 0
      this.#parents.set(parent_id, {
        project_id,
        by: parent.by + by,
        completed: parent.completed + completed,
      })
    }
    for (const tag_id of tag_ids) this.#tags.set(tag_id, (this.#tags.get(tag_id) ?? 0) + by)
  }

  /** Writes the collected changes; those that add up to zero change no row. */
  async write(tx: WriteTx): Promise<void> {
    for (const [project_id, categories] of this.#projects) {
      for (const [category, by] of categories) {
        if (by !== 0) await tx.run(adjustTaskCount(category), { project_id, by })
      }
    }
    for (const [parent_id, { project_id, by, completed }] of this.#parents) {
      if (by === 0 && completed === 0) continue
      await tx.run(adjustSubtaskCounts, { parent_id, by, completed })
      noteDerivedChange(tx, parent_id, project_id)
    }
    for (const [tag_id, by] of this.#tags)
      if (by !== 0) await tx.run(adjustTagCount, { tag_id, by })
  }
}
