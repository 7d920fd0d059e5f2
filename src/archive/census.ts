import { Keys } from './keys.ts'
import type { Lines } from './lines.ts'

type Category = Lines['tasks']['status_category']

/** What is counted of a task from the lines that lean on it. */
export interface TaskCounts {
  comments: number
  attachments: number
  subtasks: number
  completed: number
  seconds: number
}

/** What was found in an archive, as far as later lines and the rows made of them need to know it. */
export class Census {
  /** Whatever has an id. */
  readonly ids = new Keys()
  readonly members = new Keys()
  readonly projects = new Keys()
  readonly tags = new Keys()
  readonly tasks = new Keys()
  /** What may be there once only, and the statuses of projects. */
  readonly facts = new Keys()
  /** By the number of a project, of a tag or of a task. */
  readonly lastNumbers: number[] = []
  readonly projectOfTag: number[] = []
  readonly projectOfTask: number[] = []
  readonly parents: number[] = []
  /** Of each link the task that waits, and the one that it waits for. */
  readonly links: [number[], number[]] = [[], []]
  readonly #tagged = new Tally()
  readonly #live = new Map<Category, Tally>()
  readonly #counts = {
    comments: new Tally(),
    attachments: new Tally(),
    subtasks: new Tally(),
    completed: new Tally(),
    seconds: new Tally(),
  }
  owners = 0
  applications = 0
  bytes = 0
  filesHere = 0
  filesLost = 0

  count(what: keyof TaskCounts, task: number, by = 1): void {
    this.#counts[what].add(task, by)
  }

  /** Counts a task that is not deleted. */
  countLive(project: number, category: Category, tags: readonly number[]): void {
    const tally = this.#live.get(category) ?? new Tally()
    this.#live.set(category, tally)
    tally.add(project, 1)
    for (const tag of tags) this.#tagged.add(tag, 1)
  }

  countsOfTask(id: string): TaskCounts {
    const task = this.tasks.of(id) ?? -1
    const { comments, attachments, subtasks, completed, seconds } = this.#counts
    return {
      comments: comments.of(task),
      attachments: attachments.of(task),
      subtasks: subtasks.of(task),
      completed: completed.of(task),
      seconds: seconds.of(task),
    }
  }

  liveIn(project: string, category: Category): number {
    return this.#live.get(category)?.of(this.projects.of(project) ?? -1) ?? 0
  }

  liveWith(tag: string): number {
    return this.#tagged.of(this.tags.of(tag) ?? -1)
  }
}

/** Sums by number. */
class Tally {
  readonly #sums: number[] = []

  add(at: number, by: number): void {
    while (this.#sums.length <= at) this.#sums.push(0)
    this.#sums[at] = this.of(at) + by
  }

  of(at: number): number {
    return this.#sums[at] ?? 0
  }
}
