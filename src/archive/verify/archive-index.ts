import { hash } from 'node:crypto'
import type { ArchiveLines } from '../format/line-schemas.ts'

const WORDS_PER_SLOT = 4
const INITIAL_SIZE = 1 << 12
const MAX_LOAD_FACTOR = 0.6

/**
 * Numbers strings in the order in which they are added. Takes about 60 bytes for a string of any
 * length; a Map with a million ids would take a quarter of a gigabyte. Strings are compared by 128
 * bits of their SHA-256.
 */
export class StringInterner {
  #size = INITIAL_SIZE
  #slots = new Uint32Array(INITIAL_SIZE * WORDS_PER_SLOT)
  #numbers = new Uint32Array(INITIAL_SIZE)
  count = 0

  /** Gives the string the next number, from 0 on. Returns undefined if it already has one. */
  add(text: string): number | undefined {
    if (this.count > this.#size * MAX_LOAD_FACTOR) this.#grow()
    const words = hashWords(text)
    const at = this.#find(words)
    if (this.#numbers[at] !== 0) return undefined
    this.#slots.set(words, at * WORDS_PER_SLOT)
    this.count += 1
    this.#numbers[at] = this.count
    return this.count - 1
  }

  /** The number of a string; undefined if it was not added. */
  numberOf(text: string): number | undefined {
    const number = this.#numbers[this.#find(hashWords(text))] ?? 0
    return number === 0 ? undefined : number - 1
  }

  /** The slot that holds it, or the free one where it belongs. */
  #find(words: Uint32Array): number {
    let at = (words[0] ?? 0) % this.#size
    while (this.#numbers[at] !== 0 && !this.#isAt(at, words)) at = (at + 1) % this.#size
    return at
  }

  #isAt(at: number, words: Uint32Array): boolean {
    return words.every((word, n) => this.#slots[at * WORDS_PER_SLOT + n] === word)
  }

  #grow(): void {
    const [slots, numbers] = [this.#slots, this.#numbers]
    this.#size *= 2
    this.#slots = new Uint32Array(this.#size * WORDS_PER_SLOT)
    this.#numbers = new Uint32Array(this.#size)
    for (const [from, number] of numbers.entries()) {
      if (number === 0) continue
      const words = slots.subarray(from * WORDS_PER_SLOT, (from + 1) * WORDS_PER_SLOT)
      const at = this.#find(words)
      this.#slots.set(words, at * WORDS_PER_SLOT)
      this.#numbers[at] = number
    }
  }
}

function hashWords(text: string): Uint32Array {
  const digest = hash('sha256', text, 'buffer')
  return Uint32Array.from({ length: WORDS_PER_SLOT }, (_, at) => digest.readUInt32LE(at * 4))
}

type ArchivedStatusCategory = ArchiveLines['tasks']['status_category']

/** The counters of a task, summed over the lines that refer to it. */
interface ArchivedTaskCounts {
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
