import type { ArchiveLines } from '../format/line-schemas.ts'
import { StringInterner } from './string-interner.ts'

type ArchivedStatusCategory = ArchiveLines['tasks']['status_category']

/** The counters of a task, summed over the lines that refer to it. */
export interface ArchivedTaskCounts {
  comments: number
  attachments: number
  subtasks: number
  completed: number
  seconds: number
}

/** Ids, relations and row counts of an archive, which later lines and the inserted rows need. */
export class ArchiveIndex {
  /** The ids of all records. */
  readonly ids = new StringInterner()
  readonly members = new StringInterner()
  readonly projects = new StringInterner()
  readonly tags = new StringInterner()
  readonly tasks = new StringInterner()
  /** Values that must be unique, and the statuses of projects. */
  readonly facts = new StringInterner()
  /** These arrays are indexed by the number of a project, a tag or a task. */
  readonly lastNumbers: number[] = []
  readonly projectOfTag: number[] = []
  readonly projectOfTask: number[] = []
  readonly parents: number[] = []
  /** Of each link, the numbers of the blocked task and of its blocker. */
  readonly links: [number[], number[]] = [[], []]
  readonly #liveByTag = new CounterArray()
  readonly #liveByCategory = new Map<ArchivedStatusCategory, CounterArray>()
  readonly #counts = {
    comments: new CounterArray(),
    attachments: new CounterArray(),
    subtasks: new CounterArray(),
    completed: new CounterArray(),
    seconds: new CounterArray(),
  }
  owners = 0
  applications = 0
  attachmentBytes = 0
  presentFiles = 0
  lostFiles = 0

  count(counter: keyof ArchivedTaskCounts, task: number, by = 1): void {
    this.#counts[counter].add(task, by)
  }

  /** Counts a task that is not deleted. */
  countLiveTask(project: number, category: ArchivedStatusCategory, tags: readonly number[]): void {
    const liveByProject = this.#liveByCategory.get(category) ?? new CounterArray()
    this.#liveByCategory.set(category, liveByProject)
    liveByProject.add(project, 1)
    for (const tag of tags) this.#liveByTag.add(tag, 1)
  }

  taskCounts(id: string): ArchivedTaskCounts {
    const task = this.tasks.numberOf(id) ?? -1
    const { comments, attachments, subtasks, completed, seconds } = this.#counts
    return {
      comments: comments.valueAt(task),
      attachments: attachments.valueAt(task),
      subtasks: subtasks.valueAt(task),
      completed: completed.valueAt(task),
      seconds: seconds.valueAt(task),
    }
  }

  liveTasksInProject(project: string, category: ArchivedStatusCategory): number {
    return this.#liveByCategory.get(category)?.valueAt(this.projects.numberOf(project) ?? -1) ?? 0
  }

  liveTasksWithTag(tag: string): number {
    return this.#liveByTag.valueAt(this.tags.numberOf(tag) ?? -1)
  }
}

/** An array of sums that grows when needed. */
class CounterArray {
  readonly #sums: number[] = []

  add(at: number, by: number): void {
    while (this.#sums.length <= at) this.#sums.push(0)
    this.#sums[at] = this.valueAt(at) + by
  }

  valueAt(at: number): number {
    return this.#sums[at] ?? 0
  }
}
